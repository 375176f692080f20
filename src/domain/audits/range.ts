// range: values lie between bounds, and are finite.
import { z } from "zod";
import { exactNumber, sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { boundsText, fail, isSome, judgeViolations, nullsText } from "./verdict.ts";

/** A number, or a date or timestamp as text where the column is one. */
const bound = z.union([
  exactNumber,
  z.string().regex(/^\d{4}-\d{2}-\d{2}/, "write a number, or a date as YYYY-MM-DD"),
]);

const WORDS = { both: "", left: ", max excluded", right: ", min excluded", none: ", both excluded" } as const;

export const range = defineCheck({
  name: "range",
  clauses: ["bounds"],
  heeds: ["of", "where", "allow", "on_empty", "on_null", "sample"],
  keys: {
    column: sqlName,
    min: bound.optional(),
    max: bound.optional(),
    inclusive: z
      .enum(["both", "left", "right", "none"])
      .default("both")
      .describe("Which bounds belong to the range: left is min, right is max."),
  },
  expectation: (a) => `${a.column} is ${boundsText(a)}${WORDS[a.inclusive]}, and finite`,
  judge: (a, m) => {
    const expected = { min: a.min ?? null, max: a.max ?? null, inclusive: a.inclusive };
    // No allowance covers a value that is no value: sums and averages of the column would be lost (safety E2).
    if (isSome(m.nonFiniteCount))
      return fail(`${m.nonFiniteCount} values of ${a.column} are not finite`, expected);
    const lie = `${boundsText(a)}${WORDS[a.inclusive]}`;
    return judgeViolations(
      a,
      m,
      {
        subject: `values of ${a.column}`,
        hold: `lie within ${lie}`,
        fail: `do not lie within ${lie}`,
        details: [
          `smallest ${m.measured["min"] ?? "null"}`,
          `largest ${m.measured["max"] ?? "null"}`,
          nullsText(m),
        ],
      },
      expected,
    );
  },
});
