// traceable: every landed record that is not left out has its rows in the stage, and every row a record. Catches a drop that a fan-out hides.
import { z } from "zod";
import { sqlName, wholeNumber } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

/**
 * The stage carries no record number of its own. `_src_row` may be named only where the contract declares it as a column of
 * the target; otherwise the key is columns that both the raw snapshot and the stage have. A raw cell is compared after a cast
 * to the target column's declared type, so that `007` and the bigint 7 meet. Records that share a key are counted together.
 */
export const traceable = defineCheck({
  name: "traceable",
  clauses: ["conservation"],
  heeds: ["allow", "on_empty", "sample"],
  keys: {
    raw_key: z
      .union([sqlName, z.array(sqlName).min(1, "name at least one column")])
      .describe(
        "Columns that both the raw snapshot and the stage have; `_src_row` where the stage carries it.",
      ),
    max_stage_rows_per_raw: wholeNumber(1).default(1).describe("Most stage rows that one record may become."),
  },
  expectation: (a) =>
    `each record becomes 1 to ${a.max_stage_rows_per_raw} rows, each row comes from a record (by ${[a.raw_key].flat().join(", ")})`,
  judge: (a, m) =>
    judgeViolations(
      a,
      m,
      {
        subject: `keys (${[a.raw_key].flat().join(", ")})`,
        hold: "are traced from record to row",
        fail: "are not traced from record to row",
        details: [
          `${m.measured["raw_without_stage"] ?? "?"} with too few rows for their records`,
          `${m.measured["stage_without_raw"] ?? "?"} with rows but no record`,
          `${m.measured["too_many"] ?? "?"} with too many rows`,
        ],
      },
      { max_stage_rows_per_raw: `${a.max_stage_rows_per_raw}` },
    ),
});
