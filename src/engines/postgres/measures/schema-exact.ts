// Measure of schema_exact: columns, types, order and collations from the catalog; nulls counted where none may be.
import { NULLS_IN, schemaExact } from "../../../domain/audits/schema-exact.ts";
import { quoteIdentifier } from "../../../domain/identifier.ts";
import { Binds, type Measure } from "./measure.ts";
import { objectOf } from "./sample.ts";

export const measureSchemaExact: Measure = async (assertion, { contract, relations, stageOid }) => {
  schemaExact.parse(assertion);
  const binds = new Binds();
  const declared = contract.target_schema.map(({ name, type, collation }, n) => ({
    n: n + 1,
    name,
    type,
    collation: collation ?? null,
  }));
  const wanted = binds.add(JSON.stringify(declared), "jsonb");
  const never = contract.target_schema.filter(({ nulls }) => nulls === "never").map(({ name }) => name);
  // A column that the stage lacks must not make the statement fail, since the difference is what has to be told: the name
  // then finds the null of the outer query. Unqualified, so that the stage's own column comes first.
  const outer = never.map((name) => `null::text AS ${quoteIdentifier(name)}`);
  const inner = never.map((name, n) => `(${quoteIdentifier(name)}) IS NULL AS n${n}`);
  const nulls = objectOf(
    never.map((name, n) => [`${NULLS_IN}${name}`, `count(*) FILTER (WHERE n${n})`] as const),
    binds,
  );
  const text = (row: string): string =>
    `concat_ws(' ', quote_ident(${row}.name), ${row}.type, 'collation ' || nullif(${row}."collation", 'default'))`;
  const sql = `SELECT counted.rows_tested, counted.nulls || jsonb_build_object('columns', ${binds.add(`${declared.length}`, "text")}, 'differences', differing.list) AS measured
    FROM (SELECT ${["0", ...outer].join(", ")}) AS ${quoteIdentifier("no such column")},
    LATERAL (SELECT count(*)::text AS rows_tested, ${nulls} AS nulls
      FROM (SELECT ${["1", ...inner].join(", ")} FROM ${relations.staged}) AS rows) AS counted,
    (SELECT coalesce(string_agg(format('column %s is %s, declared is %s', coalesce(w.n, f.n),
          CASE WHEN f.n IS NULL THEN 'missing' ELSE ${text("f")} END, CASE WHEN w.n IS NULL THEN 'none' ELSE ${text("w")} END),
          '; ' ORDER BY coalesce(w.n, f.n)), '') AS list
      FROM jsonb_to_recordset(${wanted}) AS w(n int, name text, type text, "collation" text)
      FULL JOIN (SELECT row_number() OVER (ORDER BY a.attnum)::int AS n, a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS type,
          (SELECT k.collname::text FROM pg_collation k WHERE k.oid = a.attcollation) AS "collation"
        FROM pg_attribute a WHERE a.attrelid = ${binds.add(stageOid, "oid")} AND a.attnum > 0 AND NOT a.attisdropped) AS f ON f.n = w.n
      WHERE f.name IS DISTINCT FROM w.name OR f.type IS DISTINCT FROM w.type
        OR f."collation" IS DISTINCT FROM coalesce(w."collation", CASE WHEN f."collation" IS NOT NULL THEN 'default' END)) AS differing`;
  return { sql, values: binds.values };
};
