// Measures of the conservation clause: equation (counts that are known already) and traceable (an anti-join both ways).
import { equation } from "../../../domain/audits/equation.ts";
import { traceable } from "../../../domain/audits/traceable.ts";
import { quoteIdentifier } from "../../../domain/identifier.ts";
import { Binds, type Measure, MeasureRefusal } from "./measure.ts";

/** The stage is counted here; records and exclusions were counted by the database when they were sealed. */
export const measureEquation: Measure = async (assertion, { counts, relations }) => {
  const a = equation.parse(assertion);
  const binds = new Binds();
  const excluded = Object.fromEntries(Object.entries(counts).filter(([name]) => name.startsWith("excluded.")));
  const known: Record<string, string> = { ...excluded };
  for (const term of [a.left, ...a.right]) {
    if (term === "staged") continue;
    const value = term.startsWith("excluded.") ? (counts[term] ?? "0") : counts[term];
    if (value === undefined) throw new MeasureRefusal(`${term} was not counted`);
    known[term] = value;
  }
  const staged = [a.left, ...a.right].includes("staged") ? `|| jsonb_build_object('staged', (SELECT count(*) FROM ${relations.staged})::text)` : "";
  return {
    sql: `SELECT ${binds.add(known[a.left] ?? null, "text")} AS rows_tested, ${binds.add(JSON.stringify(known), "jsonb")} ${staged} AS measured`,
    values: binds.values,
  };
};

export const measureTraceable: Measure = async (assertion, { contract, relations, rawColumns }) => {
  const a = traceable.parse(assertion);
  const keys = [a.raw_key].flat();
  for (const key of keys) {
    if (key !== "_src_row" && !rawColumns.includes(key)) throw new MeasureRefusal(`${key} is no column of the delivered file`);
    if (!contract.target_schema.some((c) => c.name === key)) throw new MeasureRefusal(`${key} is no column of the stage; declare it, or name columns that both have`);
  }
  const list = (alias: string): string => keys.map((key, n) => `${alias}.${quoteIdentifier(key)}::text AS k${n}`).join(", ");
  // The key as one text value, null parts included: IS NOT DISTINCT FROM could not be hashed.
  const whole = `jsonb_build_array(${keys.map((_, n) => `k${n}`).join(", ")})::text`;
  return {
    sql: `WITH r AS (SELECT ${whole} AS k, count(*) AS n FROM (SELECT ${list("raw")} FROM ${relations.raw} AS raw
          WHERE NOT EXISTS (SELECT 1 FROM ${relations.excluded} AS x WHERE x._src_row = raw._src_row)) AS kept GROUP BY 1),
        s AS (SELECT ${whole} AS k, count(*) AS n FROM (SELECT ${list("staged")} FROM ${relations.staged} AS staged) AS rows GROUP BY 1),
        both_sides AS (SELECT r.n AS records, s.n AS rows FROM r FULL JOIN s USING (k))
      SELECT count(*)::text AS rows_tested,
        count(*) FILTER (WHERE records IS NULL OR rows IS NULL OR rows < records OR rows > records * ${a.max_stage_rows_per_raw})::text AS violations,
        jsonb_build_object('raw_without_stage', count(*) FILTER (WHERE rows IS NULL OR rows < records)::text,
          'stage_without_raw', count(*) FILTER (WHERE records IS NULL)::text,
          'too_many', count(*) FILTER (WHERE rows > records * ${a.max_stage_rows_per_raw})::text) AS measured
      FROM both_sides`,
    values: [],
  };
};
