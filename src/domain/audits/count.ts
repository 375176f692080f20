// count: how many rows fulfil a condition, or were left out for a reason, lies within bounds.
import { z } from "zod";
import { CLAUSES } from "../clauses.ts";
import { exactRate, sentence, wholeNumber } from "../contract/scalars.ts";
import { compareDecimals, decimal, isWithinRate, multiplyDecimals } from "../decimal.ts";
import { defineCheck } from "./define-check.ts";
import { boundsText, fail, judgeBounds, nothingTested, ofRows, pass, undecided } from "./verdict.ts";

export const countKeys = {
  where: sentence.optional().describe("A SQL condition; rows that fulfil it are counted."),
  from: z
    .string()
    .regex(/^excluded\.[A-Za-z0-9_]+$/, "write excluded.<reason>")
    .optional()
    .describe("Records that were left out for a reason are counted."),
  rows: z.strictObject({ min: wholeNumber(0).optional(), max: wholeNumber(0).optional() }).optional(),
  rate: z.strictObject({ min: exactRate.optional(), max: exactRate.optional() }).optional(),
};

export const count = defineCheck({
  name: "count",
  clauses: CLAUSES,
  heeds: ["of", "on_empty"],
  keys: countKeys,
  expectation: (a) => {
    const what = a.from === undefined ? `rows with ${a.where ?? ""}` : `records ${a.from}`;
    return a.rows === undefined
      ? `${what}: a share ${boundsText(a.rate ?? {})}`
      : `${what}: ${boundsText(a.rows)}`;
  },
  judge: (a, m) => {
    const bounds = a.rows ?? a.rate;
    const expected = { min: bounds?.min?.toString() ?? null, max: bounds?.max?.toString() ?? null };
    const empty = nothingTested(a, m, expected);
    if (empty !== null) return empty;
    const counted = m.measured["count"];
    if (typeof counted !== "string" || m.rowsTested === null)
      return undecided("nothing was counted", expected);
    if (bounds?.min === undefined && bounds?.max === undefined)
      return undecided("there is no bound to compare with", expected);
    const what = a.from === undefined ? `rows with ${a.where ?? ""}` : `records ${a.from}`;
    if (a.rate === undefined) {
      const rows = { min: a.rows?.min?.toString(), max: a.rows?.max?.toString() };
      return judgeBounds(`the number of ${what}`, counted, rows);
    }
    const finding = ofRows(counted, m.rowsTested, what);
    const [part, whole] = [BigInt(counted), BigInt(m.rowsTested)];
    if (a.rate.max !== undefined && !isWithinRate(part, whole, decimal(a.rate.max)))
      return fail(`${finding}, a share of at most ${a.rate.max} expected`, expected);
    const least =
      a.rate.min === undefined ? null : multiplyDecimals(decimal(a.rate.min), decimal(m.rowsTested));
    if (least !== null && compareDecimals(decimal(counted), least) < 0)
      return fail(`${finding}, a share of at least ${a.rate.min} expected`, expected);
    return pass(finding, expected);
  },
});
