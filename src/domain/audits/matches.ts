// matches: values have a shape, as a PostgreSQL advanced regular expression (PostgreSQL manual, 9.7.3).
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

export const matches = defineCheck({
  name: "matches",
  clauses: ["bounds"],
  keys: {
    column: sqlName,
    pattern: z.string("write a pattern in quotes").min(1, "write a pattern"),
    anchor: z.enum(["full", "none"]).default("full").describe("Whether the whole value has to match."),
    dialect: z.literal("pg_are").default("pg_are"),
  },
  expectation: (a) => `${a.column} ${a.anchor === "full" ? "is wholly" : "holds"} ${a.pattern}`,
  judge: (a, m) => judgeViolations(a, m, `values of ${a.column} have the shape (${m.nullCount ?? "?"} nulls)`),
});
