// max_age: the newest value is not older than a duration, by the run's start or the declared as_of.
import { z } from "zod";
import { duration, wholeNumber } from "../contract/scalars.ts";
import { durationMs } from "../duration.ts";
import { clockKeys } from "./clock.ts";
import { defineCheck } from "./define-check.ts";
import { fail, isSome, nothingTested, pass, undecided } from "./verdict.ts";

export const maxAge = defineCheck({
  name: "max_age",
  clauses: ["freshness"],
  heeds: ["of", "where", "on_empty"],
  keys: {
    ...clockKeys,
    at_most: duration.describe("Largest age, included."),
    date_means: z
      .enum(["start_of_day", "end_of_day"])
      .default("end_of_day")
      .describe("Which instant a date stands for."),
    active: z
      .strictObject({ months: z.array(wholeNumber(1, 12)).min(1, "name at least one month") })
      .optional()
      .describe("Months in which data is due; in others the age is shown and not judged."),
  },
  expectation: (a) => `newest ${a.column} is at most ${a.at_most} old (${a.clock})`,
  judge: (a, m) => {
    const expected = { at_most: a.at_most };
    const empty = nothingTested(a, m, expected);
    if (empty !== null) return empty;
    if (isSome(m.nonFiniteCount))
      return fail(`${m.nonFiniteCount} values of ${a.column} are infinite`, expected);
    const newest = m.measured["newest"];
    const clock = m.measured["clock"];
    const age = m.measured["age_ms"];
    if (typeof newest !== "string")
      return fail(`there is no newest ${a.column}: every tested value is null`, expected);
    if (typeof age !== "string" || !/^-?\d+$/.test(age) || typeof clock !== "string")
      return undecided(`the age of ${newest} was not measured`, expected);
    const finding = `newest ${a.column} is ${newest}, ${ageText(BigInt(age))} ${clock}`;
    const month = m.measured["month"];
    if (a.active !== undefined) {
      if (typeof month !== "string") return undecided("the clock's month was not measured", expected);
      if (!a.active.months.includes(Number(month)))
        return pass(`not due in month ${month}: ${finding}`, expected);
    }
    return BigInt(age) <= BigInt(durationMs(a.at_most))
      ? pass(finding, expected)
      : fail(`${finding}; at most ${a.at_most} expected`, expected);
  },
});

/** `17 h 05 min before`; `2 h 00 min after` for a value that lies ahead of the clock. */
function ageText(ms: bigint): string {
  const minutes = (ms < 0n ? -ms : ms) / 60_000n;
  return `${minutes / 60n} h ${(minutes % 60n).toString().padStart(2, "0")} min ${ms < 0n ? "after" : "before"}`;
}
