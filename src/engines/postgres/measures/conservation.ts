// Measures of the conservation clause: equation (counts that are known already) and traceable (an anti-join both ways).
import { equation } from "../../../domain/audits/equation.ts";
import { traceable } from "../../../domain/audits/traceable.ts";
import { quoteIdentifier } from "../../../domain/identifier.ts";
import { isValueOf, PLAIN_WRITING } from "./cell-text.ts";
import { Binds, type Measure, MeasureRefusal } from "./measure.ts";
import { sampleOf } from "./sample.ts";

const STAGED = "staged";

/** The stage is counted here; records and exclusions were counted by the database when they were sealed. */
export const measureEquation: Measure = async (assertion, { counts, relations }) => {
  const a = equation.parse(assertion);
  const binds = new Binds();
  const terms = [a.left, ...a.right];
  const known: Record<string, string> = {};
  for (const [name, count] of Object.entries(counts)) if (name.startsWith("excluded.")) known[name] = count;
  for (const term of terms) {
    if (term === STAGED) continue;
    const count = counts[term] ?? (term.startsWith("excluded.") ? "0" : undefined);
    if (count === undefined) throw new MeasureRefusal(`${term} was not counted`);
    known[term] = count;
  }
  const recorded = binds.add(JSON.stringify(known), "jsonb");
  const counted = terms.includes(STAGED)
    ? ` || jsonb_build_object('${STAGED}', (SELECT count(*) FROM ${relations.staged})::text)`
    : "";
  const left = binds.add(a.left, "text");
  return {
    sql: `SELECT measured ->> ${left} AS rows_tested, measured FROM (SELECT ${recorded}${counted} AS measured) AS terms`,
    values: binds.values,
  };
};

export const measureTraceable: Measure = async (assertion, { contract, relations, rawColumns }) => {
  const a = traceable.parse(assertion);
  const binds = new Binds();
  const keys = [a.raw_key].flat().map((name) => {
    if (name !== "_src_row" && !rawColumns.includes(name))
      throw new MeasureRefusal(`${name} is no column of the delivered file`);
    const declared = contract.target_schema.find((column) => column.name === name);
    if (declared === undefined)
      throw new MeasureRefusal(
        `${name} is no column of the stage; declare it, or name columns that both have`,
      );
    return { name: quoteIdentifier(name), type: declared.type, isRow: name === "_src_row" };
  });
  // A raw cell takes the form that its type would print: 007 is the bigint 7. A cell that is no value stays as it is.
  const rawKeys = keys.map(({ name, type, isRow }, n) => {
    const cell = `raw.${name}`;
    const isValue = isRow || type === "text" ? null : isValueOf(cell, type, PLAIN_WRITING, binds);
    const text =
      isValue === null
        ? `${cell}::text`
        : `CASE WHEN ${isValue} THEN ${cell}::${type}::text ELSE ${cell} END`;
    return `${text} AS k${n}`;
  });
  const stagedKeys = keys.map(({ name }, n) => `staged.${name}::text AS k${n}`);
  // The key as one value, null parts included: IS NOT DISTINCT FROM could not be hashed.
  const whole = `jsonb_build_array(${keys.map((_, n) => `k${n}`).join(", ")})`;
  const most = binds.add(a.max_stage_rows_per_raw, "bigint");
  const few = "coalesce(rows, 0) < records";
  const orphan = "records IS NULL";
  const many = `rows > records * ${most}`;
  const sample = sampleOf(
    a,
    contract,
    {
      from: "paired",
      where: `${few} OR ${orphan} OR ${many}`,
      cells: [a.raw_key].flat().map((name, n) => [name, `k ->> ${n}`] as const),
      facts: [
        ["records", "coalesce(records, 0)"],
        ["rows", "coalesce(rows, 0)"],
      ],
    },
    binds,
  );
  return {
    sql: `WITH r AS (SELECT ${whole} AS k, count(*) AS records FROM (SELECT ${rawKeys.join(", ")} FROM ${relations.raw} AS raw
          WHERE NOT EXISTS (SELECT 1 FROM ${relations.excluded} AS x WHERE x._src_row = raw._src_row)) AS kept GROUP BY 1),
        s AS (SELECT ${whole} AS k, count(*) AS rows FROM (SELECT ${stagedKeys.join(", ")} FROM ${relations.staged} AS staged) AS built GROUP BY 1),
        paired AS (SELECT k, r.records, s.rows FROM r FULL JOIN s USING (k))
      SELECT count(*)::text AS rows_tested, count(*) FILTER (WHERE ${few} OR ${orphan} OR ${many})::text AS violations,
        jsonb_build_object('raw_without_stage', count(*) FILTER (WHERE ${few})::text,
          'stage_without_raw', count(*) FILTER (WHERE ${orphan})::text,
          'too_many', count(*) FILTER (WHERE ${many})::text) AS measured,
        ${sample} AS sample
      FROM paired`,
    values: binds.values,
  };
};
