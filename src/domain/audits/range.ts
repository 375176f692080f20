// range: values lie between bounds, and are finite.
import { z } from "zod";
import { exactNumber, sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { boundsText, judgeViolations } from "./verdict.ts";

/** A number, or a date or timestamp as text where the column is one. */
const bound = z.union([exactNumber, z.string().regex(/^\d{4}-\d{2}-\d{2}/, "write a number, or a date as YYYY-MM-DD")]);

export const range = defineCheck({
  name: "range",
  clauses: ["bounds"],
  keys: {
    column: sqlName,
    min: bound.optional(),
    max: bound.optional(),
    inclusive: z.enum(["both", "min", "max", "neither"]).default("both").describe("Which bounds belong to the range."),
  },
  expectation: (a) => `${a.column} is ${boundsText(a)}${a.inclusive === "both" ? "" : ` (${a.inclusive} included)`}, and finite`,
  judge: (a, m) => {
    const extremes = `smallest ${m.measured["min"] ?? "null"}, largest ${m.measured["max"] ?? "null"}`;
    const strange = m.nonFiniteCount !== null && m.nonFiniteCount !== "0" ? `, ${m.nonFiniteCount} not finite` : "";
    return judgeViolations(a, m, `values of ${a.column} lie within (${extremes}${strange})`, { min: a.min ?? null, max: a.max ?? null });
  },
});
