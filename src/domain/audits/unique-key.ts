// unique_key: no two rows share the key, and no part of it is null.
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

export const uniqueKey = defineCheck({
  name: "unique_key",
  clauses: ["grain"],
  heeds: ["of", "where", "allow", "on_empty", "sample"],
  keys: {
    columns: z
      .array(sqlName)
      .min(1, "name at least one column")
      .describe("The key; a null in any part is a violation."),
  },
  expectation: (a) => `(${a.columns.join(", ")}) is unique and never null`,
  judge: (a, m) =>
    judgeViolations(a, m, {
      subject: "rows",
      hold: `have a (${a.columns.join(", ")}) of their own`,
      fail: `have no (${a.columns.join(", ")}) of their own`,
      details: [
        `${m.measured["duplicates"] ?? "?"} repeat another row's`,
        `${m.measured["null_keys"] ?? "?"} have a null in it`,
      ],
    }),
});
