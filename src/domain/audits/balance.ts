// balance: two sums or counts agree, in total or group by group, exactly or within a declared tolerance.
import { z } from "zod";
import {
  exactNumber,
  qualifiedName,
  repositoryPath,
  sentence,
  sqlName,
  wholeNumber,
} from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { fail, isSome, judgeViolations, undecided } from "./verdict.ts";

const isRelation = (text: string): boolean =>
  text === "raw" ||
  text === "staged" ||
  (text.startsWith("table:") && qualifiedName.safeParse(text.slice("table:".length)).success);

const side = z
  .strictObject({
    from: z
      .string("write raw, staged or table:schema.relation")
      .refine(isRelation, "write raw, staged or table:schema.relation")
      .optional(),
    sum: z
      .union([sqlName, z.array(sqlName).min(1, "name at least one column")])
      .optional()
      .describe("Column, or columns that are added up in each row."),
    count: z.literal(true).optional(),
    expr: sentence.optional().describe("A SQL expression over one row that is summed."),
    where: sentence.optional(),
    value: exactNumber.optional(),
  })
  .refine((s) => (s.value === undefined) !== (s.from === undefined), "write `from`, or a fixed `value`")
  .refine(
    (s) => s.value !== undefined || [s.sum, s.count, s.expr].filter((one) => one !== undefined).length === 1,
    "write one of `sum`, `count: true` and `expr`",
  )
  .refine(
    (s) => s.value === undefined || [s.sum, s.count, s.expr, s.where].every((one) => one === undefined),
    "a fixed `value` stands alone",
  );

export type BalanceSide = z.infer<typeof side>;

export const balance = defineCheck({
  name: "balance",
  clauses: ["reconciliation"],
  heeds: ["group_by", "allow", "on_empty", "on_null", "sample"],
  keys: {
    left: side,
    right: side,
    tolerance: z
      .strictObject({
        abs: exactNumber.default("0"),
        rel: exactNumber.default("0"),
        need: z.enum(["any", "both"]).default("any"),
      })
      .prefault({})
      .describe("Largest difference; `rel` is a share of the larger side."),
    exclude: z
      .strictObject({ keys_file: repositoryPath, max_rows: wholeNumber(0), why: sentence })
      .optional()
      .describe("Groups that are left out, by a CSV file of their keys; `max_rows` limits its keys."),
    missing_group: z.literal("fail").default("fail"),
  },
  expectation: (a) => {
    const groups = a.group_by === undefined ? "" : ` for each (${a.group_by.join(", ")})`;
    const { abs, rel, need } = a.tolerance;
    const relative = rel === "0" ? "" : ` ${need === "both" ? "and" : "or"} a share of ${rel}`;
    return `${sideText(a.left)} = ${sideText(a.right)}${groups}, within ${abs}${relative}`;
  },
  judge: (a, m) => {
    const expected = { abs: a.tolerance.abs, rel: a.tolerance.rel, need: a.tolerance.need };
    if (m.nonFiniteCount === null) return undecided("cells that are no number were not counted", expected);
    if (isSome(m.nonFiniteCount))
      return undecided(
        `${m.nonFiniteCount} cells are not finite decimal numbers, so there is no sum`,
        expected,
      );
    if (a.exclude !== undefined) {
      const listed = m.measured["excluded_keys"];
      if (typeof listed !== "string") return undecided("the excluded keys were not counted", expected);
      const limits = { ...expected, max_rows: `${a.exclude.max_rows}` };
      if (BigInt(listed) > BigInt(a.exclude.max_rows))
        return fail(`${listed} keys are excluded, ${a.exclude.max_rows} are allowed`, limits);
    }
    const left = m.measured["left"] ?? "null";
    const right = m.measured["right"] ?? "null";
    const grouped = a.group_by !== undefined;
    return judgeViolations(
      a,
      m,
      {
        subject: grouped ? "groups" : "totals",
        hold: grouped ? "agree" : `agree: ${left} = ${right}`,
        fail: grouped ? "do not agree" : `do not agree: ${left} and ${right}`,
        details: [
          `largest difference ${m.measured["largest_difference"] ?? "null"}`,
          isSome(m.groupsMissing) ? `${m.groupsMissing} on one side only` : null,
          isSome(m.nullCount) ? `${m.nullCount} without a value` : null,
          a.exclude === undefined
            ? null
            : `excluded ${m.measured["excluded"] ?? "?"} of ${a.exclude.max_rows} allowed`,
        ],
      },
      expected,
    );
  },
});

function sideText(s: BalanceSide): string {
  if (s.value !== undefined) return s.value;
  const what = s.count === true ? "rows" : `sum of ${s.expr ?? [s.sum ?? ""].flat().join(" + ")}`;
  return `${what} in ${s.from ?? ""}${s.where === undefined ? "" : ` where ${s.where}`}`;
}
