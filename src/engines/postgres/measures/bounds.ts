// Measures of the bounds clause: range, one_of, matches, null_rate, row_rule, references, schema_exact.
import { matches } from "../../../domain/audits/matches.ts";
import { nullRate } from "../../../domain/audits/null-rate.ts";
import { oneOf } from "../../../domain/audits/one-of.ts";
import { range } from "../../../domain/audits/range.ts";
import { references } from "../../../domain/audits/references.ts";
import { rowRule } from "../../../domain/audits/row-rule.ts";
import { quoteIdentifier, quoteQualified } from "../../../domain/identifier.ts";
import { Binds, column, declaredColumn, expression, type Measure, MeasureRefusal, nonFiniteCondition, nullsViolate, rowByRow, testedRows } from "./measure.ts";

const ORDERED = /^(?:bigint|integer|smallint|numeric|double precision|real|date|timestamp|time|interval)/;

/** Types keep their own order; bounds are cast to the column's type, so that a date column takes a date. */
export const measureRange: Measure = async (assertion, context) => {
  const a = range.parse(assertion);
  const { type, nulls } = declaredColumn(a.column, context);
  if (!ORDERED.test(type)) throw new MeasureRefusal(`${a.column} is ${type}, which has no range of numbers or times`);
  const binds = new Binds();
  // Integers are compared as numeric: a bound may lie outside the column's own type.
  const compared = /^(?:bigint|integer|smallint|numeric|double precision|real)/.test(type) ? "numeric" : type;
  const value = column(a.column);
  const nonFinite = nonFiniteCondition(value, type);
  const finite = `(CASE WHEN ${nonFinite ?? "false"} THEN null ELSE ${value}::${compared} END)`;
  const breaks: string[] = [];
  if (a.min !== undefined) breaks.push(`${finite} ${a.inclusive === "both" || a.inclusive === "min" ? "<" : "<="} ${binds.add(a.min, "text")}::${compared}`);
  if (a.max !== undefined) breaks.push(`${finite} ${a.inclusive === "both" || a.inclusive === "max" ? ">" : ">="} ${binds.add(a.max, "text")}::${compared}`);
  return rowByRow(
    a,
    context,
    {
      breaks: `(${nonFinite ?? "false"} OR ${breaks.length === 0 ? "false" : breaks.join(" OR ")})`,
      isNull: `${value} IS NULL`,
      nullsViolate: nullsViolate(a, nulls),
      ...(nonFinite === null ? {} : { nonFinite }),
      measured: { min: `min(${finite})`, max: `max(${finite})` },
    },
    binds,
  );
};

export const measureOneOf: Measure = async (assertion, context) => {
  const a = oneOf.parse(assertion);
  const { nulls } = declaredColumn(a.column, context);
  const binds = new Binds();
  // Byte equality, whatever the column's collation folds together.
  const listed = `${column(a.column)}::text COLLATE "C" = ANY (${binds.add(a.values, "text[]")})`;
  return rowByRow(a, context, { breaks: `NOT (${listed})`, isNull: `${column(a.column)} IS NULL`, nullsViolate: nullsViolate(a, nulls) }, binds);
};

export const measureMatches: Measure = async (assertion, context) => {
  const a = matches.parse(assertion);
  const { nulls } = declaredColumn(a.column, context);
  const binds = new Binds();
  // \A and \Z with the default (newline is an ordinary character): "12⏎" is not wholly \d+.
  const pattern = a.anchor === "full" ? `\\A(?:${a.pattern})\\Z` : a.pattern;
  const matched = `${column(a.column)}::text ~ ${binds.add(pattern, "text")}`;
  return rowByRow(a, context, { breaks: `NOT (${matched})`, isNull: `${column(a.column)} IS NULL`, nullsViolate: nullsViolate(a, nulls) }, binds);
};

export const measureNullRate: Measure = async (assertion, context) => {
  const a = nullRate.parse(assertion);
  declaredColumn(a.column, context);
  const rows = await testedRows(a, context);
  return {
    sql: `SELECT count(*)::text AS rows_tested, count(*) FILTER (WHERE ${column(a.column)} IS NULL)::text AS null_count, '{}'::jsonb AS measured FROM ${rows}`,
    values: [],
  };
};

export const measureRowRule: Measure = async (assertion, context) => {
  const a = rowRule.parse(assertion);
  const holds = await expression(a.expr);
  return rowByRow(a, context, { breaks: `NOT ${holds}`, isNull: `${holds} IS NULL`, nullsViolate: a.on_null !== "ignore" }, new Binds());
};

export const measureReferences: Measure = async (assertion, context) => {
  const a = references.parse(assertion);
  const { nulls } = declaredColumn(a.column, context);
  const [schema, relation, key] = a.to.split(".");
  if (schema === undefined || relation === undefined || key === undefined) throw new MeasureRefusal(`${a.to} is not schema.relation.column`);
  const found = `EXISTS (SELECT 1 FROM ${quoteQualified({ schema, name: relation })} AS referenced WHERE referenced.${quoteIdentifier(key)} = ${column(a.column)})`;
  return rowByRow(a, context, { breaks: `NOT ${found}`, isNull: `${column(a.column)} IS NULL`, nullsViolate: nullsViolate(a, nulls) }, new Binds());
};

/** Types, order and collations from the catalog; nulls counted in the columns that may have none. */
export const measureSchemaExact: Measure = async (_assertion, { contract, relations, stageOid }) => {
  const binds = new Binds();
  const declared = contract.target_schema;
  const wanted = `jsonb_to_recordset(${binds.add(JSON.stringify(declared.map((c, n) => ({ n: n + 1, name: c.name, type: c.type, collation: c.collation ?? null }))), "jsonb")}) AS w(n int, name text, type text, "collation" text)`;
  const never = declared.filter((c) => c.nulls === "never");
  const nulls = never.map((c) => `${binds.add(`nulls in ${c.name}`, "text")}, count(*) FILTER (WHERE ${column(c.name)} IS NULL)::text`);
  // jsonb_build_object takes at most 100 arguments: objects are joined.
  const objects: string[] = [];
  for (let n = 0; n < nulls.length; n += 40) objects.push(`jsonb_build_object(${nulls.slice(n, n + 40).join(", ")})`);
  const oid = binds.add(stageOid, "oid");
  const sql = `SELECT c.rows_tested, c.nulls || jsonb_build_object('columns', ${binds.add(`${declared.length}`, "text")}, 'differences', d.differences) AS measured
    FROM (SELECT count(*)::text AS rows_tested, ${objects.length === 0 ? "'{}'::jsonb" : objects.join(" || ")} AS nulls FROM ${relations.staged} AS t) AS c,
    (SELECT coalesce(string_agg(format('column %s is %s %s%s, declared is %s %s%s', coalesce(w.n, f.n), coalesce(f.name, 'missing'), coalesce(f.type, ''),
          coalesce(' ' || f."collation", ''), coalesce(w.name, 'none'), coalesce(w.type, ''), coalesce(' ' || w."collation", '')), '; ' ORDER BY coalesce(w.n, f.n)), '') AS differences
     FROM ${wanted}
     FULL JOIN (SELECT row_number() OVER (ORDER BY a.attnum)::int AS n, a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS type,
         (SELECT k.collname::text FROM pg_collation k WHERE k.oid = a.attcollation) AS "collation"
       FROM pg_attribute a WHERE a.attrelid = ${oid} AND a.attnum > 0 AND NOT a.attisdropped) AS f ON f.n = w.n
     WHERE f.name IS DISTINCT FROM w.name OR f.type IS DISTINCT FROM w.type OR (w."collation" IS NOT NULL AND f."collation" IS DISTINCT FROM w."collation")) AS d`;
  return { sql, values: binds.values };
};
