// max_age: the newest value is not older than a duration, by the run's start or the declared as_of.
import { z } from "zod";
import { duration, wholeNumber } from "../contract/scalars.ts";
import { durationMs } from "../duration.ts";
import { clockKeys } from "./clock.ts";
import { defineCheck } from "./define-check.ts";
import { fail, nothingTested, pass, undecided } from "./verdict.ts";

export const maxAge = defineCheck({
  name: "max_age",
  clauses: ["freshness"],
  keys: {
    ...clockKeys,
    at_most: duration.describe("Largest age, included."),
    date_means: z.enum(["start_of_day", "end_of_day"]).default("end_of_day").describe("Which instant a date stands for."),
    active: z.strictObject({ months: z.array(wholeNumber(1, 12)).min(1) }).optional().describe("Months in which data is due."),
  },
  expectation: (a) => `newest ${a.column} is at most ${a.at_most} old (${a.clock})`,
  judge: (a, m) => {
    const expected = { at_most: a.at_most };
    const clock = m.measured["clock"] ?? "an unknown clock";
    const month = m.measured["month"];
    if (a.active !== undefined && typeof month === "string" && !a.active.months.includes(Number(month))) {
      return pass(`not due: month ${month} is not among the active months`, expected);
    }
    const empty = nothingTested(a, m, expected);
    if (empty !== null) return empty;
    if (m.nonFiniteCount !== null && m.nonFiniteCount !== "0") return fail(`${m.nonFiniteCount} values of ${a.column} are infinite`, expected);
    const newest = m.measured["newest"];
    const age = m.measured["age_ms"];
    if (typeof newest !== "string" || typeof age !== "string") return fail(`there is no newest ${a.column}: every tested value is null`, expected);
    if (!/^-?\d+$/.test(age)) return undecided(`the age of ${newest} is not a number`, expected);
    const finding = `newest ${a.column} is ${newest}, ${hours(BigInt(age))} before ${clock}`;
    return BigInt(age) <= BigInt(durationMs(a.at_most)) ? pass(finding, expected) : fail(`${finding}, at most ${a.at_most} expected`, expected);
  },
});

const hours = (ms: bigint): string => `${ms / 3_600_000n} h`;
