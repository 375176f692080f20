// Measures of the bounds clause that look at one row at a time: range, one_of, matches, null_rate, row_rule.
import { matches } from "../../../domain/audits/matches.ts";
import { nullRate } from "../../../domain/audits/null-rate.ts";
import { oneOf } from "../../../domain/audits/one-of.ts";
import { range } from "../../../domain/audits/range.ts";
import { rowRule } from "../../../domain/audits/row-rule.ts";
import {
  Binds,
  column,
  expression,
  type Measure,
  MeasureRefusal,
  nonFiniteCondition,
  nullsViolate,
  testedColumn,
  testedRows,
} from "./measure.ts";
import { rowByRow } from "./row-by-row.ts";

const INTEGER = /^(?:bigint|integer|smallint)$/;
const ORDERED =
  /^(?:bigint|integer|smallint|numeric|double precision|real|date|timestamp|time|interval)(?![^[]*\[\])/;

/** Bounds are cast to the column's type; integers are compared as numeric, since a bound may lie outside their type. */
export const measureRange: Measure = async (assertion, scope) => {
  const a = range.parse(assertion);
  const { type, nulls } = testedColumn(a.column, a, scope);
  if (!ORDERED.test(type))
    throw new MeasureRefusal(`${a.column} is ${type}, which has no range of numbers or times`);
  const binds = new Binds();
  const compared = INTEGER.test(type) || type.startsWith("numeric") ? "numeric" : type;
  const value = column(a.column);
  const nonFinite = nonFiniteCondition(value, type);
  const finite = nonFinite === null ? value : `(CASE WHEN ${nonFinite} THEN null ELSE ${value} END)`;
  const breaks = [nonFinite ?? "false"];
  const minIncluded = a.inclusive === "both" || a.inclusive === "left";
  const maxIncluded = a.inclusive === "both" || a.inclusive === "right";
  if (a.min !== undefined)
    breaks.push(`${finite} ${minIncluded ? "<" : "<="} ${binds.add(a.min, "text")}::${compared}`);
  if (a.max !== undefined)
    breaks.push(`${finite} ${maxIncluded ? ">" : ">="} ${binds.add(a.max, "text")}::${compared}`);
  return rowByRow(
    a,
    scope,
    {
      breaks: `(${breaks.join(" OR ")})`,
      isNull: `${value} IS NULL`,
      nullsViolate: nullsViolate(a, nulls),
      nonFinite,
      measured: [
        ["min", `min(${finite})`],
        ["max", `max(${finite})`],
      ],
    },
    binds,
  );
};

export const measureOneOf: Measure = async (assertion, scope) => {
  const a = oneOf.parse(assertion);
  const { nulls } = testedColumn(a.column, a, scope);
  const binds = new Binds();
  const value = column(a.column);
  // Byte equality, whatever the column's collation folds together.
  const listed = `${value}::text COLLATE "C" = ANY (${binds.add(a.values, "text[]")})`;
  const conditions = {
    breaks: `NOT (${listed})`,
    isNull: `${value} IS NULL`,
    nullsViolate: nullsViolate(a, nulls),
  };
  return rowByRow(a, scope, conditions, binds);
};

export const measureMatches: Measure = async (assertion, scope) => {
  const a = matches.parse(assertion);
  const { nulls } = testedColumn(a.column, a, scope);
  const binds = new Binds();
  const value = column(a.column);
  // \A and \Z are the ends of the text in every mode: "12⏎" is not wholly \d+.
  const pattern = a.anchor === "full" ? `\\A(?:${a.pattern})\\Z` : a.pattern;
  const conditions = {
    breaks: `NOT (${value}::text ~ ${binds.add(pattern, "text")})`,
    isNull: `${value} IS NULL`,
    nullsViolate: nullsViolate(a, nulls),
  };
  return rowByRow(a, scope, conditions, binds);
};

export const measureNullRate: Measure = async (assertion, scope) => {
  const a = nullRate.parse(assertion);
  testedColumn(a.column, a, scope);
  const isNull = `${column(a.column)} IS NULL`;
  return {
    sql: `SELECT count(*)::text AS rows_tested, count(*) FILTER (WHERE ${isNull})::text AS null_count FROM ${await testedRows(a, scope)}`,
    values: [],
  };
};

export const measureRowRule: Measure = async (assertion, scope) => {
  const a = rowRule.parse(assertion);
  const holds = await expression(a.expr, scope);
  const conditions = {
    breaks: `NOT ${holds}`,
    isNull: `${holds} IS NULL`,
    nullsViolate: a.on_null !== "ignore",
  };
  return rowByRow(a, scope, conditions, new Binds());
};
