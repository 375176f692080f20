// Measures of the volume and grain clauses, and count, which any clause may hold.
import { count } from "../../../domain/audits/count.ts";
import { rowCount } from "../../../domain/audits/row-count.ts";
import { uniqueKey } from "../../../domain/audits/unique-key.ts";
import {
  Binds,
  column,
  expression,
  type Measure,
  MeasureRefusal,
  subjectOf,
  testedColumn,
  testedRows,
} from "./measure.ts";
import { sampleOf } from "./sample.ts";

export const measureRowCount: Measure = async (assertion, scope) => {
  const rows = await testedRows(rowCount.parse(assertion), scope);
  return {
    sql: `SELECT count(*)::text AS rows_tested, jsonb_build_object('rows', count(*)::text) AS measured FROM ${rows}`,
    values: [],
  };
};

/**
 * GROUP BY treats nulls alike, so it reports them; a unique index would let them pass. Under a nondeterministic collation
 * keys that the collation calls equal count as one (trap 077), as they would in a reader's join.
 */
export const measureUniqueKey: Measure = async (assertion, scope) => {
  const a = uniqueKey.parse(assertion);
  for (const name of a.columns) testedColumn(name, a, scope);
  const binds = new Binds();
  const keys = a.columns.map(column);
  const anyNull = `(${keys.map((_, n) => `k${n} IS NULL`).join(" OR ")})`;
  const duplicates = `coalesce(sum(n - 1) FILTER (WHERE NOT ${anyNull}), 0)`;
  const nulls = `coalesce(sum(n) FILTER (WHERE ${anyNull}), 0)`;
  const sample = sampleOf(
    a,
    scope.contract,
    {
      from: "keyed",
      where: `n > 1 OR ${anyNull}`,
      cells: a.columns.map((name, n) => [name, `k${n}`] as const),
      facts: [["rows with this key", "n"]],
    },
    binds,
  );
  return {
    sql: `WITH keyed AS (SELECT ${keys.map((key, n) => `${key} AS k${n}`).join(", ")}, count(*) AS n
        FROM ${await testedRows(a, scope)} GROUP BY ${keys.join(", ")})
      SELECT coalesce(sum(n), 0)::text AS rows_tested, (${duplicates} + ${nulls})::text AS violations, ${nulls}::text AS null_count,
        jsonb_build_object('keys', count(*)::text, 'duplicates', ${duplicates}::text, 'null_keys', ${nulls}::text) AS measured,
        ${sample} AS sample
      FROM keyed`,
    values: binds.values,
  };
};

export const measureCount: Measure = async (assertion, scope) => {
  const { where, ...a } = count.parse(assertion);
  if ((where === undefined) === (a.from === undefined))
    throw new MeasureRefusal("count needs either `where` or `from`");
  if (a.from !== undefined) {
    if (a.of !== undefined)
      throw new MeasureRefusal("records that were left out are no rows `of` a relation");
    const binds = new Binds();
    const counted = binds.add(scope.counts[a.from] ?? "0", "text");
    const landed = binds.add(scope.counts["landed"] ?? null, "text");
    return {
      sql: `SELECT ${landed} AS rows_tested, jsonb_build_object('count', ${counted}) AS measured`,
      values: binds.values,
    };
  }
  const holds = await expression(where ?? "", scope);
  return {
    sql: `SELECT count(*)::text AS rows_tested, jsonb_build_object('count', (count(*) FILTER (WHERE ${holds}))::text) AS measured
      FROM ${scope.relations[subjectOf(a)]} AS t`,
    values: [],
  };
};
