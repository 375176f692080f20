// Verdict rules that every check shares (contract: Verdicts): nothing passes by accident.
import type { AssertionKeys } from "../contract/assertion.ts";
import { compareDecimals, decimal, isWithinRate, parseDecimal } from "../decimal.ts";
import type { ExactText, Judgement, Measurement } from "./check.ts";

type Expected = Judgement["expected"];

export const pass = (finding: string, expected: Expected = {}): Judgement => ({
  verdict: "pass",
  finding,
  expected,
});
export const fail = (finding: string, expected: Expected = {}): Judgement => ({
  verdict: "fail",
  finding,
  expected,
});
/** There is no answer: never a pass. */
export const undecided = (finding: string, expected: Expected = {}): Judgement => ({
  verdict: "error",
  finding,
  expected,
});

/** A count for a sentence: `3 of 9036 rows`. */
export const ofRows = (part: ExactText, whole: ExactText, what = "rows"): string =>
  `${part} of ${whole} ${what}`;

/** Whether a count was taken and is above zero. */
export const isSome = (count: ExactText | null): count is ExactText => count !== null && BigInt(count) > 0n;

/**
 * Zero tested rows, or a measurement that is missing: decided here for every check, before anything else. Null where there
 * is something to judge.
 */
export function nothingTested(
  common: AssertionKeys,
  measurement: Measurement,
  expected: Expected,
): Judgement | null {
  if (measurement.rowsTested === null)
    return undecided("the measurement gave no number of tested rows", expected);
  if (isSome(measurement.rowsTested)) return null;
  return common.on_empty === "pass" && common.why !== undefined
    ? pass(`nothing to test, which is allowed: ${common.why}`, expected)
    : fail("nothing was tested: zero rows", expected);
}

/** What the tested things do, in words: `all 9 ${subject} ${hold}`, `2 of 9 ${subject} ${fail} (${details})`. */
export interface Words {
  readonly subject: string;
  readonly hold: string;
  readonly fail: string;
  readonly details?: readonly (string | null)[];
}

/** Violations against `allow`, compared as exact integers. */
export function judgeViolations(
  common: AssertionKeys,
  measurement: Measurement,
  words: Words,
  expected: Expected = {},
): Judgement {
  const { allow } = common;
  const allowed = allow?.rows?.toString() ?? (allow?.rate === undefined ? "0" : `rate ${allow.rate}`);
  const limits = { ...expected, allowed };
  const empty = nothingTested(common, measurement, limits);
  if (empty !== null) return empty;
  const { violations, rowsTested } = measurement;
  if (violations === null || rowsTested === null)
    return undecided("the measurement gave no number of violations", limits);
  const bad = BigInt(violations);
  const all = BigInt(rowsTested);
  const details = (words.details ?? []).filter((detail) => detail !== null).join(", ");
  const tail = details === "" ? "" : ` (${details})`;
  if (bad === 0n) return pass(`all ${all} ${words.subject} ${words.hold}${tail}`, limits);
  const tolerated =
    allow?.rate === undefined ? bad <= BigInt(allow?.rows ?? 0) : isWithinRate(bad, all, decimal(allow.rate));
  const finding = `${bad} of ${all} ${words.subject} ${words.fail}${tail}`;
  return tolerated ? pass(`${finding}; ${allowed} allowed`, limits) : fail(finding, limits);
}

/** `2 nulls`, or nothing to say. */
export const nullsText = ({ nullCount }: Measurement): string | null =>
  isSome(nullCount) ? `${nullCount} ${nullCount === "1" ? "null" : "nulls"}` : null;

/** One measured number against bounds that are both included; null or not a number never passes. */
export function judgeBounds(
  name: string,
  value: ExactText | null,
  bounds: { readonly min?: string | undefined; readonly max?: string | undefined },
): Judgement {
  const expected = { min: bounds.min ?? null, max: bounds.max ?? null };
  const measured = value === null ? null : parseDecimal(value);
  if (measured === null)
    return fail(`${name} is ${value ?? "null"}: not a number that could be compared`, expected);
  if (bounds.min !== undefined && compareDecimals(measured, decimal(bounds.min)) < 0)
    return fail(`${name} is ${value}, at least ${bounds.min} expected`, expected);
  if (bounds.max !== undefined && compareDecimals(measured, decimal(bounds.max)) > 0)
    return fail(`${name} is ${value}, at most ${bounds.max} expected`, expected);
  return pass(`${name} is ${value}`, expected);
}

/** `from 1 to 9`, `1 or more`, `at most 9`: bounds for a sentence. */
export function boundsText({
  min,
  max,
}: {
  readonly min?: string | number | undefined;
  readonly max?: string | number | undefined;
}): string {
  if (min !== undefined && max !== undefined) return `from ${min} to ${max}`;
  if (min !== undefined) return `${min} or more`;
  return max === undefined ? "any" : `at most ${max}`;
}
