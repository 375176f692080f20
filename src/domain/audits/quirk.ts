// quirk: a known oddity of the source, turned into a check of its own with the reason beside it.
import { z } from "zod";
import { assertionKeysSchema } from "../contract/assertion.ts";
import { duration, sentence } from "../contract/scalars.ts";
import type { Judgement, Measurement } from "./check.ts";
import { assertionKeysOf, defineCheck, type RegisteredCheck } from "./define-check.ts";
import { fail, pass, undecided } from "./verdict.ts";

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "write a day as YYYY-MM-DD");

/** Keys that belong to the quirk itself, not to the check that it holds. */
const OUTER_KEYS = ["level", "owner"];

type Find = (name: string) => RegisteredCheck | undefined;

/** Every problem of an expected check: its own keys by its own schema, the common ones by theirs. */
function problemsOf(
  find: Find,
  expected: { readonly check: string } & Record<string, unknown>,
): z.core.$ZodIssue[] {
  const check = find(expected.check);
  if (check === undefined) {
    const message = `${JSON.stringify(expected.check)} is not a check that a quirk may hold`;
    return [{ code: "custom", message, path: ["check"], input: expected.check }];
  }
  const common = assertionKeysOf(expected);
  const own: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(expected)) {
    if (key === "check") continue;
    if (Object.hasOwn(check.schema.shape, key)) delete common[key];
    if (OUTER_KEYS.includes(key) || !Object.hasOwn(common, key)) own[key] = value;
  }
  const parsed = [check.schema.safeParse(own), assertionKeysSchema.safeParse(common)];
  return parsed.flatMap((one) => (one.success ? [] : one.error.issues));
}

/** `find` gives the check that a quirk expects; the registry hands it over, since a quirk may hold any check but a quirk. */
export const quirkOver = (find: Find) =>
  defineCheck({
    name: "quirk",
    clauses: ["known_quirks"],
    heeds: [],
    keys: {
      why: sentence.describe("What is odd, and why it is right."),
      since: day.optional().describe("First day (UTC) on which it is expected."),
      until: day.optional().describe("Last day (UTC) on which it is expected."),
      retire_after: duration
        .optional()
        .describe(
          "Kept with the contract; the advisory about a quirk that is no longer seen needs the history of runs and is not raised yet.",
        ),
      expect: z.looseObject({ check: z.string("name a check") }).superRefine((expected, context) => {
        for (const issue of problemsOf(find, expected)) {
          context.addIssue({ code: "custom", message: issue.message, path: [...issue.path] });
        }
      }),
    },
    expectation: (a) => `${a.why} → ${find(a.expect.check)?.expectation(a.expect) ?? a.expect.check}`,
    judge: (a, m: Measurement): Judgement => {
      if (m.measured["in_force"] === "false") {
        const days = [
          ...(a.since === undefined ? [] : [`since ${a.since}`]),
          ...(a.until === undefined ? [] : [`until ${a.until}`]),
        ];
        // Only a declared period can put a quirk out of force.
        return days.length === 0
          ? fail("the quirk is not in force, but declares no period")
          : pass(`in force ${days.join(" ")}, not at ${m.measured["clock"] ?? "this time"}`);
      }
      const check = find(a.expect.check);
      return check === undefined
        ? undecided(`there is no check ${a.expect.check}`)
        : check.judge(a.expect, m);
    },
  });
