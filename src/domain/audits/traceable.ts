// traceable: every landed record that is not left out has its rows in the stage, and every row a record. Catches a drop that a fan-out hides.
import { z } from "zod";
import { sqlName, wholeNumber } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

export const traceable = defineCheck({
  name: "traceable",
  clauses: ["conservation"],
  keys: {
    raw_key: z
      .union([sqlName, z.array(sqlName).min(1, "name at least one column")])
      .describe("Columns that both the raw snapshot and the stage have, compared as text; `_src_row` where the stage carries it."),
    max_stage_rows_per_raw: wholeNumber(1).default(1).describe("Most stage rows that one record may become."),
  },
  expectation: (a) => `each record becomes 1 to ${a.max_stage_rows_per_raw} rows, each row comes from a record (by ${[a.raw_key].flat().join(", ")})`,
  judge: (a, m) =>
    judgeViolations(
      a,
      m,
      `keys are traced (${m.measured["raw_without_stage"] ?? "?"} records without a row, ${m.measured["stage_without_raw"] ?? "?"} rows without a record, ${m.measured["too_many"] ?? "?"} with too many rows)`,
    ),
});
