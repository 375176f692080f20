// What changes: the candidate against the version that readers see, by the contract's key, in one pass over each.
import type { Contract } from "../../domain/contract.ts";
import { targetOf } from "../../domain/contract.ts";
import { quoteIdentifier, quoteQualified, runNames } from "../../domain/identifier.ts";
import type { Changes } from "../../domain/manifest.ts";
import type { RunId } from "../../domain/run.ts";
import { inTransaction, type Session } from "./connection.ts";

/** The key of the first `unique_key` assertion of the grain clause; null where the contract declares none. */
function keyOf(contract: Contract): readonly string[] | null {
  const grain: Readonly<Record<string, unknown>> = contract.clauses.grain;
  for (const assertion of Object.values(grain)) {
    if (
      typeof assertion === "object" &&
      assertion !== null &&
      "check" in assertion &&
      assertion.check === "unique_key" &&
      "columns" in assertion
    ) {
      const { columns } = assertion;
      if (Array.isArray(columns) && columns.every((column): column is string => typeof column === "string"))
        return columns;
    }
  }
  return null;
}

/**
 * Rows added, removed, changed and unchanged, and changed values a column, as exact counts. Null for a first version, or where the
 * contract has no key or the key is not unique in one of the two (then rows cannot be paired).
 */
export async function measureChanges(
  session: Session,
  runId: RunId,
  contract: Contract,
): Promise<Changes | null> {
  const key = keyOf(contract);
  const target = targetOf(contract);
  const [base] = await session.query<{ base: string | null }>(
    "SELECT m.base_run_id::text AS base FROM wap_admin.manifests m WHERE m.run_id = $1",
    [runId],
  );
  if (key === null || base === undefined || base.base === null) return null;

  const stage = quoteQualified(runNames(target, runId).stage);
  const published = quoteQualified(target);
  const keys = key.map(quoteIdentifier);
  const others = contract.target_schema.map((column) => column.name).filter((name) => !key.includes(name));
  // Compared as text: types without an equality operator (json, xml) compare too, and 1.0 is not 1.00 for a reader.
  const differs = (name: string): string =>
    `s.${quoteIdentifier(name)}::text IS DISTINCT FROM p.${quoteIdentifier(name)}::text`;
  const anyDiffers = others.length === 0 ? "false" : others.map(differs).join(" OR ");
  const both = "s.wap_here AND p.wap_here";
  const perColumn = others
    .map((name, n) => `, count(*) FILTER (WHERE ${both} AND (${differs(name)}))::text AS c${n}`)
    .join("");
  const side = (relation: string): string => `(SELECT true AS wap_here, r.* FROM ${relation} AS r)`;
  const duplicated = (relation: string): string =>
    `EXISTS (SELECT 1 FROM ${relation} GROUP BY ${keys.join(", ")} HAVING count(*) > 1 OR ${keys.map((name) => `${name} IS NULL`).join(" OR ")})`;

  return inTransaction(session, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", async () => {
    const [unpaired] = await session.query<{ bad: boolean }>(
      `SELECT ${duplicated(stage)} OR ${duplicated(published)} AS bad`,
    );
    if (unpaired?.bad !== false) return null;
    const [row] = await session.query<Record<string, string>>(
      `SELECT count(*) FILTER (WHERE p.wap_here IS NULL)::text AS added, count(*) FILTER (WHERE s.wap_here IS NULL)::text AS removed,
         count(*) FILTER (WHERE ${both} AND (${anyDiffers}))::text AS changed,
         count(*) FILTER (WHERE ${both} AND NOT (${anyDiffers}))::text AS unchanged${perColumn}
       FROM ${side(stage)} AS s FULL JOIN ${side(published)} AS p ON ${keys.map((name) => `s.${name} = p.${name}`).join(" AND ")}`,
    );
    const columns: Record<string, string> = {};
    for (const [n, name] of others.entries()) {
      const changed = row?.[`c${n}`] ?? "0";
      if (changed !== "0") columns[name] = changed;
    }
    return {
      key,
      added: row?.["added"] ?? "0",
      removed: row?.["removed"] ?? "0",
      changed: row?.["changed"] ?? "0",
      unchanged: row?.["unchanged"] ?? "0",
      columns,
    };
  });
}
