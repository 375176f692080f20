// one_of: values come from a list. A null is judged by the column's `nulls`, never lost in a NOT IN.
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations, nullsText } from "./verdict.ts";

export const oneOf = defineCheck({
  name: "one_of",
  clauses: ["bounds"],
  heeds: ["of", "where", "allow", "on_empty", "on_null", "sample"],
  keys: {
    column: sqlName,
    values: z
      .array(z.string("write text in quotes"))
      .min(1, "name at least one value")
      .describe("Compared byte for byte with the value's text."),
  },
  expectation: (a) =>
    `${a.column} is one of ${a.values.length <= 10 ? a.values.join(", ") : `${a.values.length} values`}`,
  judge: (a, m) =>
    judgeViolations(a, m, {
      subject: `values of ${a.column}`,
      hold: "are in the list",
      fail: "are not in the list",
      details: [nullsText(m)],
    }),
});
