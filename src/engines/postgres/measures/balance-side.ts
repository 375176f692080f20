// One side of a balance as a query: the group's key, its rows, its exact sum, and how many of its cells are no number.
import type { BalanceSide } from "../../../domain/audits/balance.ts";
import { parseQualifiedName, quoteIdentifier, quoteQualified } from "../../../domain/identifier.ts";
import { type Binds, expression, MeasureRefusal, type MeasureScope } from "./measure.ts";

const DECIMAL = "[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)";
/** Text of a floating-point column may have an exponent; a delivered cell may not. */
const EXPONENT = "([eE][+-]?[0-9]{1,3})?";

function relationOf(from: string, { relations }: MeasureScope): string {
  if (from === "raw" || from === "staged") return relations[from];
  const name = parseQualifiedName(from.replace(/^table:/, ""));
  if (typeof name === "string") throw new MeasureRefusal(`from ${from}: ${name}`);
  return quoteQualified(name);
}

/** Columns k (the key as a jsonb list of texts), n (rows), value (null where there is nothing to sum), bad. */
export async function sideQuery(
  side: BalanceSide,
  groups: readonly string[],
  scope: MeasureScope,
  binds: Binds,
): Promise<string> {
  if (side.value !== undefined) {
    if (groups.length > 0) throw new MeasureRefusal("a fixed `value` cannot be compared group by group");
    return `SELECT '[]'::jsonb AS k, 0::bigint AS n, ${binds.add(side.value, "text")}::numeric AS value, 0::bigint AS bad`;
  }
  const from = relationOf(side.from ?? "", scope);
  const where = side.where === undefined ? "" : ` WHERE ${await expression(side.where, scope)}`;
  const { value, bad } = await amountOf(side, scope, binds);
  const key = `jsonb_build_array(${groups.map((name) => `t.${quoteIdentifier(name)}::text`).join(", ")})`;
  const groupBy = groups.length === 0 ? "" : " GROUP BY 1";
  const keyed = groups.length === 0 ? "'[]'::jsonb" : key;
  return `SELECT ${keyed} AS k, count(*) AS n, ${value} AS value, ${bad} AS bad FROM ${from} AS t${where}${groupBy}`;
}

async function amountOf(
  side: BalanceSide,
  scope: MeasureScope,
  binds: Binds,
): Promise<{ readonly value: string; readonly bad: string }> {
  if (side.count === true) return { value: "count(*)::numeric", bad: "0::bigint" };
  if (side.expr !== undefined) {
    const value = `(${await expression(side.expr, scope)})::numeric`;
    return {
      value: `sum(${value})`,
      bad: `count(*) FILTER (WHERE ${value} IN ('NaN', 'Infinity', '-Infinity'))`,
    };
  }
  // By their text: exact for every type, and a cell that is no number is counted instead of raising.
  const pattern = binds.add(`\\A${DECIMAL}${side.from === "raw" ? "" : EXPONENT}\\Z`, "text");
  const cells = [side.sum ?? []].flat().map((name) => `t.${quoteIdentifier(name)}::text`);
  const isNumber = (cell: string): string => `${cell} COLLATE "C" ~ ${pattern}`;
  const amounts = cells.map((cell) => `coalesce(CASE WHEN ${isNumber(cell)} THEN ${cell}::numeric END, 0)`);
  const strange = cells.map((cell) => `coalesce((NOT (${isNumber(cell)}))::int, 0)`);
  const any = cells.map((cell) => `${cell} IS NOT NULL`).join(" OR ");
  return {
    value: `sum(CASE WHEN ${any} THEN ${amounts.join(" + ")} END)`,
    bad: `coalesce(sum(${strange.join(" + ")}), 0)`,
  };
}
