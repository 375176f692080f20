// Measure of balance: two sides joined group by group, in exact decimals; a group on one side only is a violation.
import { parse as parseCsv } from "csv-parse/sync";
import { z } from "zod";
import { balance } from "../../../domain/audits/balance.ts";
import { sideQuery } from "./balance-side.ts";
import { Binds, type Measure, MeasureRefusal, type MeasureScope } from "./measure.ts";
import { readText } from "./read-text.ts";
import { sampleOf } from "./sample.ts";

const table = z.array(z.array(z.string()));

function rowsOf(path: string, text: string): string[][] {
  try {
    return table.parse(parseCsv(text, { bom: true, skip_empty_lines: true }));
  } catch (error) {
    throw new MeasureRefusal(`${path} is not a CSV file`, { cause: error });
  }
}

/** Keys of the groups that are left out, each once: a CSV file whose header names the group's columns. */
async function excludedKeys(
  path: string,
  groups: readonly string[],
  scope: MeasureScope,
): Promise<readonly string[]> {
  const [header, ...rows] = rowsOf(path, await readText(path, scope));
  const places = groups.map((name) => (header ?? []).indexOf(name));
  const missing = groups.find((_, n) => places[n] === -1);
  if (missing !== undefined)
    throw new MeasureRefusal(`${path} has no column ${missing}; its header has to name ${groups.join(", ")}`);
  return [...new Set(rows.map((row) => JSON.stringify(places.map((place) => row[place] ?? ""))))];
}

export const measureBalance: Measure = async (assertion, scope) => {
  const a = balance.parse(assertion);
  const groups = a.group_by ?? [];
  if (a.exclude !== undefined && groups.length === 0)
    throw new MeasureRefusal("groups are left out by their key: `exclude` needs `group_by`");
  const binds = new Binds();
  const left = await sideQuery(a.left, groups, scope, binds);
  const right = await sideQuery(a.right, groups, scope, binds);
  const keys = a.exclude === undefined ? [] : await excludedKeys(a.exclude.keys_file, groups, scope);
  const leftOut =
    a.exclude === undefined ? "false" : `coalesce(l.k, r.k) = ANY (${binds.add(keys, "jsonb[]")})`;
  const difference = "abs(l.value - r.value)";
  const absolute = `${difference} <= ${binds.add(a.tolerance.abs, "text")}::numeric`;
  const relative = `${difference} <= ${binds.add(a.tolerance.rel, "text")}::numeric * greatest(abs(l.value), abs(r.value))`;
  const within = `(${absolute} ${a.tolerance.need === "both" ? "AND" : "OR"} ${relative})`;
  // Both sides have rows and no value at all: that is no agreement unless the contract says so.
  const noValue =
    a.on_null === "ignore" ? "l.n > 0 AND r.n > 0 AND l.value IS NULL AND r.value IS NULL" : "false";
  const wrong = "NOT left_out AND NOT agrees";
  const sample = sampleOf(
    a,
    scope.contract,
    {
      from: "paired",
      where: wrong,
      cells: groups.map((name, n) => [name, `k ->> ${n}`] as const),
      facts: [
        ["left", "left_value"],
        ["right", "right_value"],
      ],
    },
    binds,
  );
  const total = (value: string, rows: string): string =>
    `CASE WHEN coalesce(sum(${rows}), 0) = 0 THEN coalesce(sum(${value}), 0) ELSE sum(${value}) END`;
  const sql = `WITH l AS (${left}), r AS (${right}),
      paired AS (SELECT coalesce(l.k, r.k) AS k, l.k IS NULL OR r.k IS NULL AS one_sided, l.value AS left_value, r.value AS right_value,
          l.n AS left_rows, r.n AS right_rows, coalesce(l.bad, 0) + coalesce(r.bad, 0) AS bad, ${difference} AS difference,
          coalesce(${within}, false) OR coalesce(${noValue}, false) AS agrees, ${leftOut} AS left_out
        FROM l FULL JOIN r ON r.k = l.k)
      SELECT CASE WHEN coalesce(sum(left_rows), 0) + coalesce(sum(right_rows), 0) = 0 THEN 0
          ELSE count(*) FILTER (WHERE NOT left_out) END::text AS rows_tested,
        count(*) FILTER (WHERE ${wrong})::text AS violations,
        count(*) FILTER (WHERE NOT left_out AND one_sided)::text AS groups_missing,
        count(*) FILTER (WHERE NOT left_out AND NOT one_sided AND (left_value IS NULL OR right_value IS NULL))::text AS null_count,
        coalesce(sum(bad), 0)::text AS non_finite_count,
        jsonb_build_object('left', (${total("left_value", "left_rows")})::text, 'right', (${total("right_value", "right_rows")})::text,
          'largest_difference', (max(difference) FILTER (WHERE NOT left_out))::text,
          'excluded', (count(*) FILTER (WHERE left_out))::text, 'excluded_keys', ${binds.add(`${keys.length}`, "text")}) AS measured,
        ${sample} AS sample
      FROM paired`;
  return { sql, values: binds.values };
};
