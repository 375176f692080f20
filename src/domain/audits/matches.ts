// matches: values have a shape, as a PostgreSQL advanced regular expression (PostgreSQL manual, 9.7.3).
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations, nullsText } from "./verdict.ts";

export const matches = defineCheck({
  name: "matches",
  clauses: ["bounds"],
  heeds: ["of", "where", "allow", "on_empty", "on_null", "sample"],
  keys: {
    column: sqlName,
    pattern: z.string("write a pattern in quotes").min(1, "write a pattern"),
    anchor: z.enum(["full", "none"]).default("full").describe("Whether the whole value has to match."),
    dialect: z.literal("pg_are").default("pg_are"),
  },
  expectation: (a) => `${a.column} ${a.anchor === "full" ? "is wholly" : "holds"} ${a.pattern}`,
  judge: (a, m) =>
    judgeViolations(
      a,
      m,
      {
        subject: `values of ${a.column}`,
        hold: `match ${a.pattern}`,
        fail: `do not match ${a.pattern}`,
        details: [nullsText(m)],
      },
      { pattern: a.pattern, anchor: a.anchor },
    ),
});
