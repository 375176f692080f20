// row_count: the relation has a number of rows within bounds; zero rows never pass.
import { wholeNumber } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { boundsText, judgeBounds, nothingTested } from "./verdict.ts";

export const rowCount = defineCheck({
  name: "row_count",
  clauses: ["volume"],
  keys: {
    min: wholeNumber(0).optional().describe("Fewest rows, included."),
    max: wholeNumber(0).optional().describe("Most rows, included."),
  },
  expectation: (a) => `${boundsText(a)} rows`,
  judge: (a, m) =>
    nothingTested(a, m, { min: a.min?.toString() ?? null, max: a.max?.toString() ?? null }) ??
    judgeBounds("the number of rows", m.rowsTested, { min: a.min?.toString(), max: a.max?.toString() }),
});
