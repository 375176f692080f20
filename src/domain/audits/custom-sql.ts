// custom_sql: one reading statement of the contract's own, for what no check says; its answer is a number or the rows that are wrong.
import { z } from "zod";
import { CLAUSES } from "../clauses.ts";
import { exactNumber, repositoryPath } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { boundsText, judgeBounds, judgeViolations, nothingTested, undecided } from "./verdict.ts";

export const customSql = defineCheck({
  name: "custom_sql",
  clauses: CLAUSES,
  // Rows tested are the stage's: a statement over an empty stage finds nothing wrong, and that is not a pass.
  heeds: ["allow", "on_empty"],
  keys: {
    file: repositoryPath.describe(
      "A file with one SELECT over {{staged}}, {{source}}, {{excluded}} and the declared inputs.",
    ),
    returns: z.enum(["scalar", "failing_rows"]),
    expect: z
      .strictObject({
        min: exactNumber.optional(),
        max: exactNumber.optional(),
        equals: exactNumber.optional(),
      })
      .optional()
      .describe("What a scalar has to be."),
  },
  expectation: (a) =>
    a.returns === "failing_rows"
      ? `${a.file} finds no row`
      : `${a.file} gives ${a.expect?.equals ?? boundsText(a.expect ?? {})}`,
  judge: (a, m) => {
    if (a.returns === "failing_rows") {
      return judgeViolations(a, m, {
        subject: "rows",
        hold: `pass: ${a.file} finds none`,
        fail: `are found by ${a.file}`,
      });
    }
    const { min, max, equals } = a.expect ?? {};
    if (min === undefined && max === undefined && equals === undefined)
      return undecided(`${a.file} has no \`expect\` to compare with`);
    const bounds = equals === undefined ? { min, max } : { min: equals, max: equals };
    return (
      nothingTested(a, m, { min: bounds.min ?? null, max: bounds.max ?? null }) ??
      judgeBounds(a.file, m.measured["scalar"] ?? null, bounds)
    );
  },
});
