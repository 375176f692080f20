// Measures of the freshness clause: the newest value against a clock, in a declared zone.
import { maxAge } from "../../../domain/audits/max-age.ts";
import { noFuture } from "../../../domain/audits/no-future.ts";
import { durationMs } from "../../../domain/duration.ts";
import { Binds, column, declaredColumn, type Measure, type MeasureContext, MeasureRefusal, nonFiniteCondition, nullsViolate, testedRows } from "./measure.ts";

interface Clocked {
  readonly column: string;
  readonly zone?: string | undefined;
  readonly clock: "run_start" | "as_of";
}

/** The instant that the assertion's clock shows. */
function clockOf({ clock }: Clocked, { clocks }: MeasureContext): string {
  const instant = clocks[clock];
  if (instant === null) throw new MeasureRefusal("the clock is as_of, but source.as_of is not declared");
  return instant;
}

/** A column's value as an instant: timestamps with a zone are one, dates and others need the declared zone. */
function instantOf({ column: name, zone }: Clocked, type: string, dateMeans: "start_of_day" | "end_of_day", binds: Binds): string {
  const value = column(name);
  if (/^timestamp(?:\(\d\))? with time zone$/.test(type)) return value;
  if (zone === undefined) throw new MeasureRefusal(`${name} is ${type}: say in which \`zone\` it is meant`);
  const bound = binds.add(zone, "text");
  if (type === "date") return `((${value}${dateMeans === "end_of_day" ? " + 1" : ""})::timestamp AT TIME ZONE ${bound})`;
  if (/^timestamp(?:\(\d\))? without time zone$/.test(type)) return `(${value} AT TIME ZONE ${bound})`;
  throw new MeasureRefusal(`${name} is ${type}, which is no time`);
}

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS"Z"'`;

export const measureMaxAge: Measure = async (assertion, context) => {
  const a = maxAge.parse(assertion);
  const { type } = declaredColumn(a.column, context);
  const binds = new Binds();
  const clock = binds.add(clockOf(a, context), "timestamptz");
  const instant = instantOf(a, type, a.date_means, binds);
  const nonFinite = nonFiniteCondition(column(a.column), type) ?? "false";
  const newest = `max(CASE WHEN ${nonFinite} THEN null ELSE ${instant} END)`;
  const zone = binds.add(a.zone ?? "UTC", "text");
  return {
    sql: `SELECT count(*)::text AS rows_tested, count(*) FILTER (WHERE ${column(a.column)} IS NULL)::text AS null_count,
        count(*) FILTER (WHERE ${nonFinite})::text AS non_finite_count,
        jsonb_build_object('newest', to_char(${newest} AT TIME ZONE 'UTC', ${ISO}), 'clock', to_char(${clock} AT TIME ZONE 'UTC', ${ISO}),
          'month', extract(month FROM ${clock} AT TIME ZONE ${zone})::int::text,
          'age_ms', floor(extract(epoch FROM ${clock} - ${newest}) * 1000)::bigint::text) AS measured
      FROM ${await testedRows(a, context)}`,
    values: binds.values,
  };
};

export const measureNoFuture: Measure = async (assertion, context) => {
  const a = noFuture.parse(assertion);
  const { type, nulls } = declaredColumn(a.column, context);
  const binds = new Binds();
  const clock = binds.add(clockOf(a, context), "timestamptz");
  const limit = `(${clock} + ${binds.add(`${durationMs(a.skew)} milliseconds`, "text")}::interval)`;
  const instant = instantOf(a, type, "start_of_day", binds);
  const nonFinite = nonFiniteCondition(column(a.column), type) ?? "false";
  const breaks = `CASE WHEN ${column(a.column)} IS NULL THEN ${nullsViolate(a, nulls)} WHEN ${nonFinite} THEN true ELSE ${instant} > ${limit} END`;
  return {
    sql: `SELECT count(*)::text AS rows_tested, count(*) FILTER (WHERE ${breaks})::text AS violations, count(*) FILTER (WHERE ${column(a.column)} IS NULL)::text AS null_count,
        count(*) FILTER (WHERE ${nonFinite})::text AS non_finite_count,
        jsonb_build_object('newest', to_char(max(CASE WHEN ${nonFinite} THEN null ELSE ${instant} END) AT TIME ZONE 'UTC', ${ISO}),
          'clock', to_char(${clock} AT TIME ZONE 'UTC', ${ISO})) AS measured
      FROM ${await testedRows(a, context)}`,
    values: binds.values,
  };
};
