// balance: two sums or counts agree, in total or group by group, exactly or within a declared tolerance.
import { z } from "zod";
import { exactNumber, qualifiedName, repositoryPath, sentence, sqlName, wholeNumber } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

const from = z
  .string("write raw, staged or table:schema.relation")
  .refine((text) => text === "raw" || text === "staged" || (text.startsWith("table:") && qualifiedName.safeParse(text.slice(6)).success), "write raw, staged or table:schema.relation");

const side = z
  .strictObject({
    from: from.optional(),
    sum: z.union([sqlName, z.array(sqlName).min(1)]).optional().describe("Column, or columns that are added up in each row."),
    count: z.literal(true).optional(),
    expr: sentence.optional().describe("A SQL expression over one row that is summed."),
    where: sentence.optional(),
    value: exactNumber.optional(),
  })
  .refine((s) => (s.value === undefined) !== (s.from === undefined), "write `from`, or a fixed `value`")
  .refine((s) => s.value !== undefined || [s.sum, s.count, s.expr].filter((one) => one !== undefined).length === 1, "write one of `sum`, `count: true` and `expr`");

export type BalanceSide = z.infer<typeof side>;

export const balance = defineCheck({
  name: "balance",
  clauses: ["reconciliation"],
  keys: {
    left: side,
    right: side,
    tolerance: z
      .strictObject({ abs: exactNumber.default("0"), rel: exactNumber.default("0"), need: z.enum(["any", "both"]).default("any") })
      .prefault({})
      .describe("Largest difference; `rel` is a share of the larger side."),
    exclude: z.strictObject({ keys_file: repositoryPath, max_rows: wholeNumber(0), why: sentence }).optional().describe("Groups that are left out, by a CSV file of their keys."),
    missing_group: z.literal("fail").default("fail"),
  },
  expectation: (a) => `${sideText(a.left)} = ${sideText(a.right)}${a.group_by === undefined ? "" : ` for each (${a.group_by.join(", ")})`}, within ${a.tolerance.abs}`,
  judge: (a, m) => {
    const groups = a.group_by === undefined ? "the total" : "groups";
    const missing = m.groupsMissing !== null && m.groupsMissing !== "0" ? `, ${m.groupsMissing} on one side only` : "";
    const left = m.measured["left"];
    const right = m.measured["right"];
    const totals = a.group_by === undefined ? `: ${left ?? "null"} and ${right ?? "null"}` : "";
    const excluded = m.measured["excluded"] ?? "0";
    if (a.exclude !== undefined && BigInt(excluded) > BigInt(a.exclude.max_rows)) {
      return { verdict: "fail", finding: `${excluded} groups are left out, ${a.exclude.max_rows} are allowed`, expected: { max_rows: `${a.exclude.max_rows}` } };
    }
    return judgeViolations(a, m, `${groups} agree${totals} (largest difference ${m.measured["largest_difference"] ?? "null"}${missing})`, {
      abs: a.tolerance.abs,
      rel: a.tolerance.rel,
    });
  },
});

function sideText(s: BalanceSide): string {
  if (s.value !== undefined) return s.value;
  const what = s.count === true ? "rows" : s.expr === undefined ? `sum of ${[s.sum ?? ""].flat().join(" + ")}` : `sum of ${s.expr}`;
  return `${what} in ${s.from ?? ""}`;
}
