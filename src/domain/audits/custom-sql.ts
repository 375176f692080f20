// custom_sql: one reading statement of the contract's own, for what no check says; its answer is a number or the rows that are wrong.
import { z } from "zod";
import { exactNumber, repositoryPath } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { boundsText, judgeBounds, judgeViolations } from "./verdict.ts";

export const customSql = defineCheck({
  name: "custom_sql",
  clauses: ["volume", "grain", "conservation", "bounds", "reconciliation", "freshness", "known_quirks"],
  keys: {
    file: repositoryPath.describe("A file with one SELECT over {{staged}}, {{source}}, {{excluded}} and the declared inputs."),
    returns: z.enum(["scalar", "failing_rows"]),
    expect: z.strictObject({ min: exactNumber.optional(), max: exactNumber.optional(), equals: exactNumber.optional() }).optional().describe("What a scalar has to be."),
  },
  expectation: (a) => (a.returns === "failing_rows" ? `${a.file} finds no row` : `${a.file} gives ${a.expect?.equals ?? boundsText(a.expect ?? {})}`),
  judge: (a, m) => {
    if (a.returns === "failing_rows") return judgeViolations({ ...a, on_empty: "pass", why: "the statement says what is wrong" }, { ...m, rowsTested: m.violations }, `rows found by ${a.file}`);
    const value = m.measured["scalar"] ?? null;
    if (a.expect === undefined) return { verdict: "error", finding: `${a.file} has no \`expect\``, expected: {} };
    return judgeBounds(a.file, value, a.expect.equals === undefined ? a.expect : { min: a.expect.equals, max: a.expect.equals });
  },
});
