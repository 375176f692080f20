// quirk: a known oddity of the source, turned into a check of its own with the reason beside it.
import { z } from "zod";
import { duration, sentence } from "../contract/scalars.ts";
import type { Judgement, Measurement } from "./check.ts";
import { defineCheck, type RegisteredCheck } from "./define-check.ts";
import { pass } from "./verdict.ts";

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "write a day as YYYY-MM-DD");

/** `inner` finds the check that a quirk expects; the registry hands it over, since quirks may hold any check but a quirk. */
export const quirkOver = (inner: (name: string) => RegisteredCheck | undefined) =>
  defineCheck({
    name: "quirk",
    clauses: ["known_quirks"],
    keys: {
      why: sentence.describe("What is odd, and why it is right."),
      since: day.optional().describe("First day (UTC) on which it is expected."),
      until: day.optional().describe("Last day (UTC) on which it is expected."),
      retire_after: duration.optional().describe("Kept with the contract; the advisory about a quirk that is no longer seen needs the history of runs and is not raised yet."),
      expect: z.looseObject({ check: z.string() }).superRefine((assertion, context) => {
        const check = assertion.check === "quirk" ? undefined : inner(assertion.check);
        if (check === undefined) {
          context.addIssue({ code: "custom", message: `${JSON.stringify(assertion.check)} is not a check that a quirk may hold` });
          return;
        }
        const { check: _, of: _of, where, ...own } = assertion;
        const parsed = check.schema.safeParse(where !== undefined && Object.hasOwn(check.schema.shape, "where") ? { ...own, where } : own);
        if (!parsed.success) for (const issue of parsed.error.issues) context.addIssue({ code: "custom", message: issue.message, path: [...issue.path] });
      }),
    },
    expectation: (a) => `${a.why} → ${inner(a.expect.check)?.expectation(a.expect) ?? a.expect.check}`,
    judge: (a, m: Measurement): Judgement => {
      if (m.measured["in_force"] === "false") return pass(`not in force at ${m.measured["clock"] ?? "this time"}`);
      const check = inner(a.expect.check);
      return check === undefined ? { verdict: "error", finding: `unknown check ${a.expect.check}`, expected: {} } : check.judge(a.expect, m);
    },
  });
