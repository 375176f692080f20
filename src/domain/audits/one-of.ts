// one_of: values come from a list. A null is judged by the column's `nulls`, never lost in a NOT IN.
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

export const oneOf = defineCheck({
  name: "one_of",
  clauses: ["bounds"],
  keys: { column: sqlName, values: z.array(z.string("write text in quotes")).min(1, "name at least one value") },
  expectation: (a) => `${a.column} is one of ${a.values.length <= 10 ? a.values.join(", ") : `${a.values.length} values`}`,
  judge: (a, m) => judgeViolations(a, m, `values of ${a.column} are in the list (${m.nullCount ?? "?"} nulls)`),
});
