// no_future: no value lies after the clock, give or take a declared skew.
import { duration } from "../contract/scalars.ts";
import { clockKeys } from "./clock.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations } from "./verdict.ts";

export const noFuture = defineCheck({
  name: "no_future",
  clauses: ["freshness"],
  keys: { ...clockKeys, skew: duration.default("0s").describe("How far ahead a clock may run.") },
  expectation: (a) => `no ${a.column} is later than ${a.clock} + ${a.skew}`,
  judge: (a, m) => judgeViolations(a, m, `values of ${a.column} lie before ${m.measured["clock"] ?? "the clock"} (newest ${m.measured["newest"] ?? "null"})`, { skew: a.skew }),
});
