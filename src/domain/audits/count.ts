// count: how many rows fulfil a condition, or were left out for a reason, lies within bounds.
import { z } from "zod";
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
  clauses: ["volume", "grain", "conservation", "bounds", "reconciliation", "freshness", "known_quirks"],
  keys: countKeys,
  expectation: (a) => `${a.rows === undefined ? `a share ${boundsText(a.rate ?? {})}` : boundsText(a.rows)} of rows: ${a.where ?? a.from ?? "all"}`,
  judge: (a, m) => {
    const counted = m.measured["count"];
    if (typeof counted !== "string") return undecided("nothing was counted");
    const what = `rows with ${a.where ?? a.from ?? "no condition"}`;
    if (a.rate === undefined) return nothingTested(a, m, {}) ?? judgeBounds(`the number of ${what}`, counted, { min: a.rows?.min?.toString(), max: a.rows?.max?.toString() });
    const expected = { min: a.rate.min ?? null, max: a.rate.max ?? null };
    const empty = nothingTested(a, m, expected);
    if (empty !== null || m.rowsTested === null) return empty ?? undecided("rows were not counted", expected);
    const finding = `${ofRows(counted, m.rowsTested)}: ${a.where ?? a.from ?? ""}`;
    const part = BigInt(counted);
    const whole = BigInt(m.rowsTested);
    if (a.rate.max !== undefined && !isWithinRate(part, whole, decimal(a.rate.max))) return fail(`${finding}, at most ${a.rate.max} expected`, expected);
    if (a.rate.min !== undefined && compareDecimals(decimal(counted), multiplyDecimals(decimal(a.rate.min), decimal(m.rowsTested))) < 0) return fail(`${finding}, at least ${a.rate.min} expected`, expected);
    return pass(finding, expected);
  },
});
