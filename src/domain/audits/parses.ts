// parses: every delivered cell is what the contract's type says, before any transform reads it.
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

const mark = z.string("write one character").length(1, "write one character");

export const parses = defineCheck({
  name: "parses",
  clauses: ["bounds"],
  keys: {
    columns: z.union([z.literal("all"), z.array(sqlName).min(1, "name at least one column")]).describe("Columns that the file and the target both have by that name; `all` for each of them."),
    decimal: mark.default(".").describe("The decimal mark."),
    thousands: mark.optional().describe("The mark between groups of three digits."),
    date_format: z
      .string()
      .regex(/^(?=.*YYYY)(?=.*MM)(?=.*DD)(?:YYYY|MM|DD|[-./ ])+$/, "write YYYY, MM and DD with - . / or a blank between, such as DD.MM.YYYY")
      .default("YYYY-MM-DD")
      .describe("How dates are written."),
  },
  expectation: (a) => `cells of ${a.columns === "all" ? "all columns" : a.columns.join(", ")} are of their declared types`,
  judge: (a, m) => {
    const wrong = Object.entries(m.measured).filter(([, count]) => count !== "0");
    return judgeViolations(a, m, wrong.length === 0 ? "cells are of their declared types" : `cells of ${wrong.map(([column, count]) => `${column} (${count})`).join(", ")}`);
  },
});
