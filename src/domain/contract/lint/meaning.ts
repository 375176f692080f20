// Assertions that say nothing or cannot be judged: no way to fail, no clock, a zone or a pattern that does not exist.
import { compareDecimals, parseDecimal } from "../../decimal.ts";
import { errorAt, type Finding, type Segment, shown } from "../finding.ts";
import { type AssertionFact, assertionFacts, isRecord, textOf } from "./facts.ts";
import { matchesAnything, patternProblem } from "./pattern.ts";
import type { Rule } from "./rule.ts";

const numberOf = (keys: Readonly<Record<string, unknown>>, key: string): ReturnType<typeof parseDecimal> => {
  const value = keys[key];
  if (typeof value === "number") return parseDecimal(String(value));
  return typeof value === "string" ? parseDecimal(value) : null;
};

const ONE = { units: 1n, scale: 0 };
const ZERO = { units: 0n, scale: 0 };

/** Why no delivery could ever fail the assertion, or null. */
function cannotFail({ check, keys }: AssertionFact): string | null {
  const max = numberOf(keys, "max");
  const min = numberOf(keys, "min");
  switch (check) {
    case "row_count":
      return keys["max"] === undefined && (min === null || compareDecimals(min, ZERO) <= 0)
        ? "a row count is never below 0: set min to 1 or more, or set max"
        : null;
    case "null_rate":
      return max !== null && compareDecimals(max, ONE) >= 0
        ? "a rate of nulls is never above 1: set max below 1"
        : null;
    case "range":
      return keys["min"] === undefined && keys["max"] === undefined
        ? "a range without min and max holds every value"
        : null;
    case "matches":
      return matchesAnything(textOf(keys, "pattern") ?? "") ? "the pattern matches every text" : null;
    case "equation": {
      const right = keys["right"];
      return Array.isArray(right) && right.length === 1 && right[0] === keys["left"]
        ? "both sides are the same count"
        : null;
    }
    case "balance":
      return JSON.stringify(keys["left"]) === JSON.stringify(keys["right"])
        ? "both sides are the same"
        : null;
    case "row_rule":
      return /^[\s(]*true[\s)]*$/i.test(textOf(keys, "expr") ?? "") ? "the condition is always true" : null;
    case "count": {
      const rows = keys["rows"];
      const rate = keys["rate"];
      if (isRecord(rows) && rows["max"] === undefined) {
        const least = numberOf(rows, "min");
        if (least === null || compareDecimals(least, ZERO) <= 0)
          return "a count is never below 0: set min to 1 or more, or set max";
      }
      if (isRecord(rate)) {
        const most = numberOf(rate, "max");
        const least = numberOf(rate, "min");
        const open = most === null || compareDecimals(most, ONE) >= 0;
        if (open && (least === null || compareDecimals(least, ZERO) <= 0))
          return "a rate is never above 1: set max below 1, or min above 0";
      }
      return null;
    }
    default:
      return null;
  }
}

export const everyAssertionCanFail: Rule = (draft) =>
  assertionFacts(draft).flatMap((fact): Finding[] => {
    const found: Finding[] = [];
    const why = cannotFail(fact);
    if (why !== null)
      found.push(errorAt(fact.path, "cannot-fail", `${shown(fact.name)} cannot fail: ${why}`));
    const allow = fact.keys["allow"];
    const rate = isRecord(allow) ? numberOf(allow, "rate") : null;
    if (rate !== null && compareDecimals(rate, ONE) >= 0) {
      found.push(
        errorAt(
          [...fact.path, "allow", "rate"],
          "cannot-fail",
          `${shown(fact.name)} cannot fail: every row may violate it`,
        ),
      );
    }
    return found;
  });

/** Blocks with min and max, anywhere inside an assertion, where no number lies between. */
function emptyBounds(keys: Readonly<Record<string, unknown>>, path: readonly Segment[]): readonly Finding[] {
  const min = numberOf(keys, "min");
  const max = numberOf(keys, "max");
  const here =
    min !== null && max !== null && compareDecimals(min, max) > 0
      ? [errorAt([...path, "min"], "empty-range", "min is greater than max, so nothing can pass")]
      : [];
  const inside = Object.entries(keys).flatMap(([key, value]) =>
    key !== "expect" && isRecord(value) ? emptyBounds(value, [...path, key]) : [],
  );
  return [...here, ...inside];
}

export const boundsHoldSomething: Rule = (draft) =>
  assertionFacts(draft).flatMap((fact) => emptyBounds(fact.keys, fact.path));

/** Whether a name is one of the IANA zones; `UTC`, or `Area/City`. Abbreviations and offsets are not. */
export function isTimeZone(name: string): boolean {
  if (name === "UTC") return true;
  if (!/^[A-Z][A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export const zonesExist: Rule = (draft) =>
  assertionFacts(draft).flatMap((fact): Finding[] => {
    const zone = textOf(fact.keys, "zone");
    if (zone === null || isTimeZone(zone)) return [];
    return [
      errorAt(
        [...fact.path, "zone"],
        "unknown-zone",
        `${shown(zone)} is not an IANA time zone; write UTC or a name such as Europe/Oslo`,
      ),
    ];
  });

export const patternsArePortable: Rule = (draft) =>
  assertionFacts(draft).flatMap((fact): Finding[] => {
    const pattern = fact.check === "matches" ? textOf(fact.keys, "pattern") : null;
    const problem = pattern === null ? null : patternProblem(pattern);
    return problem === null ? [] : [errorAt([...fact.path, "pattern"], "pattern", problem)];
  });

export const clocksExist: Rule = (draft) =>
  assertionFacts(draft).flatMap((fact): Finding[] => {
    if (fact.keys["clock"] !== "as_of" || draft.source === undefined || draft.source.as_of !== undefined)
      return [];
    return [
      errorAt(
        [...fact.path, "clock"],
        "clock-missing",
        "the clock as_of needs source.as_of: the instant of the delivery",
      ),
    ];
  });

export const emptyNeedsAReason: Rule = (draft) =>
  assertionFacts(draft).flatMap((fact): Finding[] => {
    if (fact.keys["on_empty"] !== "pass" || fact.keys["why"] !== undefined) return [];
    return [
      errorAt(
        [...fact.path, "on_empty"],
        "why-missing",
        "on_empty: pass needs why: say when no rows are right",
      ),
    ];
  });
