// parses: every delivered cell is what the contract's type says, before any transform reads it.
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";
import { defineCheck } from "./define-check.ts";
import { isSome, judgeViolations } from "./verdict.ts";

export const parses = defineCheck({
  name: "parses",
  clauses: ["bounds"],
  heeds: ["of", "where", "allow", "on_empty", "sample"],
  keys: {
    columns: z
      .union([z.literal("all"), z.array(sqlName).min(1, "name at least one column")])
      .describe("Columns that the file and the target both have by that name; `all` for each of them."),
    decimal: z.enum([".", ","], "write . or ,").default(".").describe("The decimal mark."),
    thousands: z
      .string("write one character")
      .regex(/^[.,'’_ \u00a0\u202f]$/u, "write one of . , ' _ or a blank")
      .optional()
      .describe("The mark between groups of three digits."),
    date_format: z
      .string()
      .regex(
        /^(?=.*YYYY)(?=.*MM)(?=.*DD)(?!.*YYYY.*YYYY)(?!.*MM.*MM)(?!.*DD.*DD)(?:YYYY|MM|DD|[-./ ])+$/,
        "write YYYY, MM and DD with - . / or a blank between, such as DD.MM.YYYY",
      )
      .default("YYYY-MM-DD")
      .describe("How dates are written."),
  },
  expectation: (a) =>
    `cells of ${a.columns === "all" ? "all columns" : a.columns.join(", ")} are of their declared types`,
  judge: (a, m) => {
    const wrong = Object.entries(m.measured)
      .filter(([, count]) => isSome(count))
      .map(([column, count]) => `${column} ${count}`);
    const columns = Object.keys(m.measured).length;
    return judgeViolations(a, m, {
      subject: "records",
      hold: `parse in ${columns} ${columns === 1 ? "column" : "columns"}`,
      fail: "hold a cell that does not parse",
      details: wrong.length === 0 ? [] : [`cells: ${wrong.join(", ")}`],
    });
  },
});
