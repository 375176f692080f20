// Verdict rules that every check shares (contract: Verdicts): nothing passes by accident.
import type { CommonKeys } from "../contract/assertion.ts";
import { compareDecimals, decimal, isWithinRate, parseDecimal } from "../decimal.ts";
import type { ExactText, Judgement, Measurement } from "./check.ts";

type Expected = Judgement["expected"];

export const pass = (finding: string, expected: Expected = {}): Judgement => ({ verdict: "pass", finding, expected });
export const fail = (finding: string, expected: Expected = {}): Judgement => ({ verdict: "fail", finding, expected });
export const undecided = (finding: string, expected: Expected = {}): Judgement => ({ verdict: "error", finding, expected });

/** A count for a sentence: `3 of 9036 rows`. */
export const ofRows = (part: ExactText, whole: ExactText, what = "rows"): string => `${part} of ${whole} ${what}`;

/** Zero tested rows, or a measurement that is missing: decided here for every check, before anything else. Null where there is something to judge. */
export function nothingTested(common: CommonKeys, measurement: Measurement, expected: Expected): Judgement | null {
  if (measurement.rowsTested === null) return undecided("the measurement gave no number of tested rows", expected);
  if (BigInt(measurement.rowsTested) > 0n) return null;
  return common.on_empty === "pass" ? pass(`nothing to test, which is allowed: ${common.why ?? "no reason given"}`, expected) : fail("nothing was tested: zero rows", expected);
}

/** Violations against `allow`, as exact integers. */
export function judgeViolations(common: CommonKeys, measurement: Measurement, what: string, expected: Expected = {}): Judgement {
  const empty = nothingTested(common, measurement, expected);
  if (empty !== null) return empty;
  const { violations, rowsTested } = measurement;
  if (violations === null || rowsTested === null) return undecided("the measurement gave no number of violations", expected);
  const bad = BigInt(violations);
  const all = BigInt(rowsTested);
  const limits = { ...expected, allowed: common.allow === undefined ? "0" : (common.allow.rows?.toString() ?? `rate ${common.allow.rate}`) };
  const allowed =
    common.allow === undefined ? bad === 0n : common.allow.rows !== undefined ? bad <= BigInt(common.allow.rows) : isWithinRate(bad, all, decimal(common.allow.rate ?? "0"));
  const finding = bad === 0n ? `all ${all} ${what}` : `${bad} of ${all} do not: ${what}`;
  return allowed ? pass(bad === 0n ? finding : `${finding} (within what is allowed)`, limits) : fail(finding, limits);
}

/** One measured number against bounds that are both included; null or not a number never passes. */
export function judgeBounds(name: string, value: ExactText | null, bounds: { readonly min?: string | undefined; readonly max?: string | undefined }): Judgement {
  const expected = { min: bounds.min ?? null, max: bounds.max ?? null };
  const measured = value === null ? null : parseDecimal(value);
  if (measured === null) return fail(`${name} is ${value ?? "null"}: not a number that could be compared`, expected);
  if (bounds.min !== undefined && compareDecimals(measured, decimal(bounds.min)) < 0) return fail(`${name} is ${value}, at least ${bounds.min} expected`, expected);
  if (bounds.max !== undefined && compareDecimals(measured, decimal(bounds.max)) > 0) return fail(`${name} is ${value}, at most ${bounds.max} expected`, expected);
  return pass(`${name} is ${value}`, expected);
}

/** `from 1 to 9`, `1 or more`, `at most 9`: bounds for a sentence. */
export function boundsText({ min, max }: { readonly min?: string | number | undefined; readonly max?: string | number | undefined }): string {
  if (min !== undefined && max !== undefined) return `from ${min} to ${max}`;
  if (min !== undefined) return `${min} or more`;
  return max === undefined ? "any" : `at most ${max}`;
}
