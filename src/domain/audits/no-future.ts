// no_future: no value lies after the clock, give or take a declared skew.
import { duration } from "../contract/scalars.ts";
import { clockKeys } from "./clock.ts";
import { defineCheck } from "./define-check.ts";
import { fail, isSome, judgeViolations, nullsText } from "./verdict.ts";

export const noFuture = defineCheck({
  name: "no_future",
  clauses: ["freshness"],
  heeds: ["of", "where", "allow", "on_empty", "on_null", "sample"],
  keys: { ...clockKeys, skew: duration.default("0s").describe("How far ahead a clock may run.") },
  expectation: (a) => `no ${a.column} is later than ${a.clock} + ${a.skew}`,
  judge: (a, m) => {
    const expected = { skew: a.skew };
    if (isSome(m.nonFiniteCount))
      return fail(`${m.nonFiniteCount} values of ${a.column} are infinite`, expected);
    return judgeViolations(
      a,
      m,
      {
        subject: `values of ${a.column}`,
        hold: `are not later than ${m.measured["clock"] ?? "the clock"} + ${a.skew}`,
        fail: `are later than ${m.measured["clock"] ?? "the clock"} + ${a.skew}, or null`,
        details: [`newest ${m.measured["newest"] ?? "null"}`, nullsText(m)],
      },
      expected,
    );
  },
});
