// Measure of balance: two sides, group by group, in exact decimals; a cell that is no number is an error, never skipped.
import { parse as parseCsv } from "csv-parse/sync";
import { z } from "zod";
import { balance, type BalanceSide } from "../../../domain/audits/balance.ts";
import { parseQualifiedName, quoteIdentifier, quoteQualified } from "../../../domain/identifier.ts";
import { Binds, expression, type Measure, type MeasureContext, MeasureRefusal } from "./measure.ts";

const PLAIN_NUMBER = "^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)$";

/** One side as a query with the group's keys k0, k1, …, its value and how many of its cells are no finite number. */
async function sideQuery(side: BalanceSide, groups: readonly string[], context: MeasureContext, binds: Binds): Promise<string> {
  const keys = groups.map((name, n) => `t.${quoteIdentifier(name)}::text AS k${n}`);
  const groupBy = groups.length === 0 ? "" : ` GROUP BY ${groups.map((_, n) => n + 1).join(", ")}`;
  const select = (value: string, bad: string, from: string, where: string): string =>
    `SELECT ${[...keys, `${value} AS value`, `${bad} AS bad`].join(", ")} FROM ${from} AS t${where}${groupBy}`;
  if (side.value !== undefined) {
    if (groups.length > 0) throw new MeasureRefusal("a fixed `value` cannot be compared group by group");
    return `SELECT ${binds.add(side.value, "text")}::numeric AS value, 0::bigint AS bad`;
  }
  const from = relationOf(side.from ?? "", context);
  const where = side.where === undefined ? "" : ` WHERE ${await expression(side.where)}`;
  if (side.count === true) return select("count(*)::numeric", "0::bigint", from, where);
  if (side.expr !== undefined) {
    const value = await expression(side.expr);
    return select(`sum((${value})::numeric)`, `count(*) FILTER (WHERE (${value})::text IN ('NaN', 'Infinity', '-Infinity'))`, from, where);
  }
  const pattern = binds.add(PLAIN_NUMBER, "text");
  const cells = [side.sum ?? []].flat().map((name) => `t.${quoteIdentifier(name)}::text`);
  const exact = cells.map((cell) => `coalesce(CASE WHEN ${cell} ~ ${pattern} THEN ${cell}::numeric END, 0)`).join(" + ");
  const bad = cells.map((cell) => `(${cell} IS NOT NULL AND ${cell} !~ ${pattern})::int`).join(" + ");
  const any = cells.map((cell) => `${cell} IS NOT NULL`).join(" OR ");
  return select(`sum(CASE WHEN ${any} THEN ${exact} END)`, `coalesce(sum(${bad}), 0)`, from, where);
}

function relationOf(from: string, { relations }: MeasureContext): string {
  if (from === "raw" || from === "staged") return relations[from];
  const name = parseQualifiedName(from.replace(/^table:/, ""));
  if (typeof name === "string") throw new MeasureRefusal(`from ${from}: ${name}`);
  return quoteQualified(name);
}

const table = z.array(z.array(z.string()));

/** Keys of the groups that are left out: a CSV file whose header names the group's columns. */
async function excludedKeys(path: string, groups: readonly string[], context: MeasureContext): Promise<readonly string[]> {
  const [header, ...rows] = table.parse(parseCsv(Buffer.from(await context.readFile(path)), { bom: true }));
  const places = groups.map((name) => (header ?? []).indexOf(name));
  if (places.includes(-1)) throw new MeasureRefusal(`${path} has no column ${groups[places.indexOf(-1)]}; its header has to name ${groups.join(", ")}`);
  return rows.map((row) => JSON.stringify(places.map((place) => row[place] ?? "")));
}

export const measureBalance: Measure = async (assertion, context) => {
  const a = balance.parse(assertion);
  if (a.of !== undefined || a.where !== undefined) throw new MeasureRefusal("`of` and `where` belong to the sides of a balance");
  const groups = a.group_by ?? [];
  const binds = new Binds();
  const left = await sideQuery(a.left, groups, context, binds);
  const right = await sideQuery(a.right, groups, context, binds);
  const excluded = a.exclude === undefined ? [] : await excludedKeys(a.exclude.keys_file, groups, context);
  const key = groups.length === 0 ? "''" : `jsonb_build_array(${groups.map((_, n) => `k${n}`).join(", ")})`;
  const keyed = (query: string): string => `SELECT ${key} AS k, value, bad, true AS here FROM (${query}) AS side`;
  const absolute = binds.add(a.tolerance.abs, "text");
  const relative = binds.add(a.tolerance.rel, "text");
  const difference = "abs(l.value - r.value)";
  const within = `(${difference} <= ${absolute}::numeric ${a.tolerance.need === "both" ? "AND" : "OR"} ${difference} <= ${relative}::numeric * greatest(abs(l.value), abs(r.value)))`;
  const out = `${binds.add(excluded.map((text) => text), "jsonb[]")}`;
  return {
    sql: `WITH l AS (${keyed(left)}), r AS (${keyed(right)}),
      paired AS (SELECT l.here AS has_left, r.here AS has_right, l.value AS left_value, r.value AS right_value, coalesce(l.bad, 0) + coalesce(r.bad, 0) AS bad,
          ${difference} AS difference, coalesce(${within}, false) AS agrees, ${groups.length === 0 ? "false" : `to_jsonb(coalesce(l.k, r.k)) = ANY (${out})`} AS left_out
        FROM l FULL JOIN r ON r.k = l.k)
      SELECT CASE WHEN sum(bad) > 0 THEN null ELSE (count(*) FILTER (WHERE NOT left_out))::text END AS rows_tested,
        (count(*) FILTER (WHERE NOT left_out AND (NOT agrees OR has_left IS NULL OR has_right IS NULL)))::text AS violations,
        (count(*) FILTER (WHERE NOT left_out AND (has_left IS NULL OR has_right IS NULL)))::text AS groups_missing, coalesce(sum(bad), 0)::text AS non_finite_count,
        jsonb_build_object('left', sum(left_value)::text, 'right', sum(right_value)::text, 'largest_difference', max(difference)::text,
          'not_a_number', coalesce(sum(bad), 0)::text, 'excluded', (count(*) FILTER (WHERE left_out))::text) AS measured
      FROM paired${groups.length === 0 ? ` WHERE ${out} IS NOT NULL` : ""}`,
    values: binds.values,
  };
};
