// null_rate: at most a share of a column's values is null.
import { exactRate, sqlName } from "../contract/scalars.ts";
import { decimal, isWithinRate } from "../decimal.ts";
import { defineCheck } from "./define-check.ts";
import { fail, nothingTested, ofRows, pass, undecided } from "./verdict.ts";

export const nullRate = defineCheck({
  name: "null_rate",
  clauses: ["bounds"],
  heeds: ["of", "where", "on_empty"],
  keys: { column: sqlName, max: exactRate.describe("Largest share of nulls, included.") },
  expectation: (a) => `at most ${a.max} of ${a.column} is null`,
  judge: (a, m) => {
    const expected = { max: a.max };
    const empty = nothingTested(a, m, expected);
    if (empty !== null) return empty;
    if (m.nullCount === null || m.rowsTested === null) return undecided("nulls were not counted", expected);
    const finding = `${ofRows(m.nullCount, m.rowsTested, `values of ${a.column}`)} are null`;
    return isWithinRate(BigInt(m.nullCount), BigInt(m.rowsTested), decimal(a.max))
      ? pass(finding, expected)
      : fail(`${finding}, a share of at most ${a.max} expected`, expected);
  },
});
