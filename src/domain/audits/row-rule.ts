// row_rule: a SQL condition that each row fulfils; a null result is a violation unless said otherwise.
import { sentence } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

export const rowRule = defineCheck({
  name: "row_rule",
  clauses: ["bounds", "reconciliation"],
  keys: { expr: sentence.describe("A SQL condition over one row's columns, without subqueries.") },
  expectation: (a) => `each row fulfils: ${a.expr}`,
  judge: (a, m) => judgeViolations(a, m, `rows fulfil ${a.expr}${m.nullCount !== null && m.nullCount !== "0" ? ` (${m.nullCount} give null)` : ""}`),
});
