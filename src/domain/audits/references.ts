// references: every value is found in another relation's column (an anti-join; a null there hides nothing).
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

export const references = defineCheck({
  name: "references",
  clauses: ["bounds"],
  keys: {
    column: sqlName,
    to: z
      .string("write schema.relation.column")
      .regex(/^[^."\s]+\.[^."\s]+\.[^."\s]+$/u, "write schema.relation.column")
      .describe("schema.relation.column; the auditor's login has to be allowed to read it."),
  },
  expectation: (a) => `each ${a.column} is found in ${a.to}`,
  judge: (a, m) => judgeViolations(a, m, `values of ${a.column} are found in ${a.to} (${m.nullCount ?? "?"} nulls)`),
});
