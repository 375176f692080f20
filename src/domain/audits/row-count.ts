// row_count: the relation has a number of rows within bounds; zero rows never pass.
import { wholeNumber } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { boundsText, judgeBounds, nothingTested } from "./verdict.ts";

export const rowCount = defineCheck({
  name: "row_count",
  clauses: ["volume"],
  heeds: ["of", "where", "on_empty"],
  keys: {
    min: wholeNumber(0).optional().describe("Fewest rows, included."),
    max: wholeNumber(0).optional().describe("Most rows, included."),
  },
  expectation: (a) => `${boundsText(a)} rows`,
  judge: (a, m) => {
    const bounds = { min: a.min?.toString(), max: a.max?.toString() };
    return (
      nothingTested(a, m, { min: bounds.min ?? null, max: bounds.max ?? null }) ??
      judgeBounds("the number of rows", m.rowsTested, bounds)
    );
  },
});
