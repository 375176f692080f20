// Measures of the volume and grain clauses, and count, which any clause may hold.
import { count } from "../../../domain/audits/count.ts";
import { rowCount } from "../../../domain/audits/row-count.ts";
import { uniqueKey } from "../../../domain/audits/unique-key.ts";
import { Binds, column, declaredColumn, expression, type Measure, MeasureRefusal, testedRows } from "./measure.ts";

export const measureRowCount: Measure = async (assertion, context) => ({
  sql: `SELECT count(*)::text AS rows_tested, jsonb_build_object('rows', count(*)::text) AS measured FROM ${await testedRows(rowCount.parse(assertion), context)}`,
  values: [],
});

/** GROUP BY treats nulls alike, so it reports them; a unique index would let them pass. */
export const measureUniqueKey: Measure = async (assertion, context) => {
  const a = uniqueKey.parse(assertion);
  for (const name of a.columns) if (a.of !== "raw") declaredColumn(name, context);
  const keys = a.columns.map(column);
  const anyNull = keys.map((_, n) => `k${n} IS NULL`).join(" OR ");
  return {
    sql: `SELECT coalesce(sum(n), 0)::text AS rows_tested,
        (coalesce(sum(n - 1) FILTER (WHERE NOT (${anyNull})), 0) + coalesce(sum(n) FILTER (WHERE ${anyNull}), 0))::text AS violations,
        coalesce(sum(n) FILTER (WHERE ${anyNull}), 0)::text AS null_count,
        jsonb_build_object('keys', count(*)::text, 'duplicates', coalesce(sum(n - 1) FILTER (WHERE NOT (${anyNull})), 0)::text,
          'null_keys', coalesce(sum(n) FILTER (WHERE ${anyNull}), 0)::text) AS measured
      FROM (SELECT ${keys.map((key, n) => `${key} AS k${n}`).join(", ")}, count(*) AS n FROM ${await testedRows(a, context)} GROUP BY ${keys.join(", ")}) AS keyed`,
    values: [],
  };
};

export const measureCount: Measure = async (assertion, context) => {
  const a = count.parse(assertion);
  if (a.from !== undefined) {
    const binds = new Binds();
    const counted = binds.add(context.counts[a.from] ?? "0", "text");
    const landed = binds.add(context.counts["landed"] ?? null, "text");
    return { sql: `SELECT ${landed} AS rows_tested, jsonb_build_object('count', ${counted}) AS measured`, values: binds.values };
  }
  if (a.where === undefined) throw new MeasureRefusal("count needs `where` or `from`");
  const { where, ...rest } = a;
  const rows = await testedRows(rest, context);
  return {
    sql: `SELECT count(*)::text AS rows_tested, jsonb_build_object('count', (count(*) FILTER (WHERE ${await expression(where)}))::text) AS measured FROM ${rows}`,
    values: [],
  };
};
