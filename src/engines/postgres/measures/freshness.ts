// Measures of the freshness clause: the newest value against a clock, in a declared zone.

import { maxAge } from "../../../domain/audits/max-age.ts";
import { noFuture } from "../../../domain/audits/no-future.ts";
import type { AssertionKeys } from "../../../domain/contract/assertion.ts";
import { durationMs } from "../../../domain/duration.ts";
import {
  Binds,
  column,
  type Measure,
  MeasureRefusal,
  type MeasureScope,
  nonFiniteCondition,
  nullsViolate,
  testedColumn,
  testedRows,
} from "./measure.ts";
import { rowByRow } from "./row-by-row.ts";
import { objectOf } from "./sample.ts";

interface Clocked extends AssertionKeys {
  readonly column: string;
  readonly zone?: string | undefined;
  readonly clock: "run_start" | "as_of";
}

/** The instant that the assertion's clock shows. */
function clockOf({ clock }: Clocked, { clocks }: MeasureScope): string {
  const instant = clocks[clock];
  if (instant === null) throw new MeasureRefusal("the clock is as_of, but source.as_of is not declared");
  return instant;
}

/** A column's value as an instant: timestamps with a zone are one, dates and others need the declared zone. */
function instantOf(
  { column: name, zone }: Clocked,
  type: string,
  dateMeans: "start_of_day" | "end_of_day",
  binds: Binds,
): string {
  const value = column(name);
  if (/^timestamp(?:\(\d\))? with time zone$/.test(type)) return value;
  const isDate = type === "date";
  if (!isDate && !/^timestamp(?:\(\d\))? without time zone$/.test(type))
    throw new MeasureRefusal(`${name} is ${type}, which is no time`);
  if (zone === undefined) throw new MeasureRefusal(`${name} is ${type}: say in which \`zone\` it is meant`);
  const local = isDate ? `(${value}${dateMeans === "end_of_day" ? " + 1" : ""})::timestamp` : value;
  return `(${local} AT TIME ZONE ${binds.add(zone, "text")})`;
}

const inUtc = (instant: string): string =>
  `to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

export const measureMaxAge: Measure = async (assertion, scope) => {
  const a = maxAge.parse(assertion);
  const { type } = testedColumn(a.column, a, scope);
  const binds = new Binds();
  const clock = binds.add(clockOf(a, scope), "timestamptz");
  const instant = instantOf(a, type, a.date_means, binds);
  const nonFinite = nonFiniteCondition(column(a.column), type) ?? "false";
  const newest = `max(CASE WHEN ${nonFinite} THEN null ELSE ${instant} END)`;
  const measured = objectOf(
    [
      ["newest", inUtc(newest)],
      ["clock", inUtc(clock)],
      ["month", `extract(month FROM ${clock} AT TIME ZONE ${binds.add(a.zone ?? "UTC", "text")})::int`],
      // Upwards: an age is above its limit from the first microsecond on.
      ["age_ms", `ceil(extract(epoch FROM ${clock} - ${newest}) * 1000)::bigint`],
    ],
    binds,
  );
  return {
    sql: `SELECT count(*)::text AS rows_tested, count(*) FILTER (WHERE ${column(a.column)} IS NULL)::text AS null_count,
        count(*) FILTER (WHERE ${nonFinite})::text AS non_finite_count, ${measured} AS measured
      FROM ${await testedRows(a, scope)}`,
    values: binds.values,
  };
};

export const measureNoFuture: Measure = async (assertion, scope) => {
  const a = noFuture.parse(assertion);
  const { type, nulls } = testedColumn(a.column, a, scope);
  const binds = new Binds();
  const clock = binds.add(clockOf(a, scope), "timestamptz");
  const limit = `(${clock} + ${binds.add(`${durationMs(a.skew)} milliseconds`, "text")}::interval)`;
  // A day has begun before the clock, or it lies in the future.
  const instant = instantOf(a, type, "start_of_day", binds);
  const nonFinite = nonFiniteCondition(column(a.column), type) ?? "false";
  return rowByRow(
    a,
    scope,
    {
      breaks: `CASE WHEN ${nonFinite} THEN true ELSE ${instant} > ${limit} END`,
      isNull: `${column(a.column)} IS NULL`,
      nullsViolate: nullsViolate(a, nulls),
      nonFinite,
      measured: [
        ["newest", inUtc(`max(CASE WHEN ${nonFinite} THEN null ELSE ${instant} END)`)],
        ["clock", inUtc(clock)],
      ],
    },
    binds,
  );
};
