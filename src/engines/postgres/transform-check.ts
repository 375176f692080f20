// The contract's SQL files before they run: one SELECT each, only declared inputs, nothing volatile (specification 4; safety U3).
import type { Contract } from "../../domain/contract.ts";
import { InvalidInput, type Problem } from "../../domain/errors.ts";
import { parseQualifiedName, type QualifiedName } from "../../domain/identifier.ts";
import type { TransformText } from "../../ports.ts";
import type { Session } from "./connection.ts";
import { checkSelect } from "./sql-grammar.ts";

/**
 * Checks the transform and the excluded-rows file.
 * @throws InvalidInput with every problem, each with its line.
 */
export async function checkTransform(
  session: Session,
  contract: Contract,
  text: TransformText,
): Promise<void> {
  const inputs = contract.transform.inputs
    .map(parseQualifiedName)
    .filter((name): name is QualifiedName => typeof name !== "string");
  const problems: Problem[] = [];
  for (const file of [
    { path: text.path, sql: text.sql },
    ...(text.excluded === null ? [] : [text.excluded]),
  ]) {
    const checked = await checkSelect(file.sql, { inputs, placeholders: ["source"] });
    if (!checked.ok) {
      problems.push({
        path: file.path,
        line: checked.line,
        column: checked.column,
        severity: "error",
        code: "transform",
        message: checked.message,
      });
      continue;
    }
    for (const name of await volatileFunctions(session, checked.functions)) {
      problems.push({
        path: file.path,
        line: 1,
        column: 1,
        severity: "error",
        code: "volatile-function",
        message: `${name} is volatile: the same delivery would not give the same rows twice`,
      });
    }
  }
  if (problems.length > 0) throw new InvalidInput("transform_invalid", problems);
}

/** Those of the named functions that the server marks as volatile, or does not know. Names without a schema are looked up in pg_catalog alone. */
async function volatileFunctions(
  session: Session,
  functions: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const simple = [...new Set(functions.map((parts) => parts.at(-1) ?? ""))];
  if (simple.length === 0) return [];
  const rows = await session.query<{ name: string }>(
    "SELECT DISTINCT p.proname::text AS name FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.provolatile = 'v' AND p.proname = ANY ($1::text[]) ORDER BY 1",
    [simple],
  );
  return rows.map((row) => row.name);
}
