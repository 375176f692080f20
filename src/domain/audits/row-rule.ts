// row_rule: a SQL condition that each row fulfils; a null result is a violation unless said otherwise.
import { sentence } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { isSome, judgeViolations } from "./verdict.ts";

export const rowRule = defineCheck({
  name: "row_rule",
  clauses: ["bounds", "reconciliation"],
  heeds: ["of", "where", "allow", "on_empty", "on_null", "sample"],
  keys: { expr: sentence.describe("A SQL condition over one row's columns, without subqueries.") },
  expectation: (a) => `each row fulfils: ${a.expr}`,
  judge: (a, m) =>
    judgeViolations(a, m, {
      subject: "rows",
      hold: `fulfil ${a.expr}`,
      fail: `do not fulfil ${a.expr}`,
      details: [isSome(m.nullCount) ? `for ${m.nullCount} it is null` : null],
    }),
});
