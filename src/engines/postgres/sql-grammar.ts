// What a contract's SQL may be, decided on PostgreSQL's own parse tree and before anything runs (specification 4; safety U1, U3).
import type { QualifiedName, SqlIdentifier } from "../../domain/identifier.ts";
import { inspect, isNode } from "./grammar/inspect.ts";
import { parseSql, scanSql } from "./grammar/parser.ts";
import { replacePlaceholders, standInName, withStandIns } from "./grammar/placeholders.ts";

export type CheckedSelect =
  | {
      readonly ok: true;
      /** Names of the functions that the server may call, each in parts: for a look at their volatility. */
      readonly functions: readonly (readonly string[])[];
      /** The declared inputs that are read, each once. */
      readonly relations: readonly QualifiedName[];
    }
  /** Line and column count from 1. */
  | { readonly ok: false; readonly message: string; readonly line: number; readonly column: number };

/**
 * Checks a contract's query: exactly one SELECT, over the placeholders and the declared inputs, that changes nothing.
 * @param limits `inputs` are the declared relations, `placeholders` the names that `{{…}}` may hold.
 */
export async function checkSelect(
  text: string,
  limits: { readonly inputs: readonly QualifiedName[]; readonly placeholders: readonly string[] },
): Promise<CheckedSelect> {
  const wrongAfter = (message: string, before: string): CheckedSelect => {
    const lines = before.split("\n");
    return { ok: false, message, line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 };
  };
  /** The grammar's trees and tokens count bytes, its errors count characters. A statement's place is where the one before it ended. */
  const wrongAtByte = (message: string, at: number): CheckedSelect => {
    const bytes = Buffer.from(text, "utf8");
    const space = /^\s*/.exec(bytes.subarray(at).toString("utf8"))?.[0] ?? "";
    return wrongAfter(message, bytes.subarray(0, at).toString("utf8") + space);
  };

  const replaced = await withStandIns(text, limits.placeholders);
  if (!replaced.ok) return wrongAtByte(replaced.message, replaced.at);
  const parsed = await parseSql(replaced.sql);
  if (!parsed.ok) return wrongAfter(parsed.message, [...text].slice(0, parsed.offset).join(""));
  const [statement, second] = parsed.statements;
  if (statement === undefined) return wrongAfter("the file holds no statement; write one SELECT", "");
  if (second !== undefined)
    return wrongAtByte("the file holds more than one statement; write one SELECT", second.at);
  if (!isNode(statement.tree) || !isNode(statement.tree["SelectStmt"]))
    return wrongAtByte("the statement is not a SELECT", statement.at);
  const { problem, functions, relations } = inspect(statement.tree, {
    inputs: limits.inputs,
    placeholders: limits.placeholders.map(standInName),
    subqueries: true,
    aggregates: true,
  });
  return problem === null ? { ok: true, functions, relations } : wrongAtByte(problem.message, problem.at);
}

/**
 * Checks a contract's expression (`where`, `expr`): one scalar over the relation's columns, without subqueries, aggregates or window
 * functions. @returns a sentence, or null where it may run.
 */
export async function checkExpression(text: string): Promise<string | null> {
  const checked = await inspectExpression(text);
  return typeof checked === "string" ? checked : null;
}

/** The functions that the server may call for an expression; empty for one that may not run. */
export async function functionsOf(text: string): Promise<readonly (readonly string[])[]> {
  const checked = await inspectExpression(text);
  return typeof checked === "string" ? [] : checked;
}

async function inspectExpression(text: string): Promise<string | readonly (readonly string[])[]> {
  // Alone as well: `1) OR (true` is one expression between parentheses, and would change what stands around it.
  const alone = await parseSql(`SELECT\n${text}\n`);
  const parsed = alone.ok ? await parseSql(`SELECT (\n${text}\n)`) : alone;
  if (!parsed.ok) return parsed.message;
  const [statement, second] = parsed.statements;
  const select = isNode(statement?.tree) ? statement.tree["SelectStmt"] : undefined;
  if (second !== undefined || !isNode(select)) return "it is not one expression";
  const extra = Object.keys(select).filter((key) => !["targetList", "limitOption", "op"].includes(key));
  const targets = select["targetList"];
  if (extra.length > 0 || !Array.isArray(targets) || targets.length !== 1) return "it is not one expression";
  const { problem, functions } = inspect(targets, {
    inputs: [],
    placeholders: [],
    subqueries: false,
    aggregates: false,
  });
  return problem === null ? functions : problem.message;
}

/**
 * The query as it runs: placeholders replaced outside strings and comments, without a final semicolon.
 * @throws RangeError for a text that checkSelect refuses.
 */
export async function renderTransform(
  text: string,
  replacements: Readonly<Record<string, SqlIdentifier>>,
): Promise<string> {
  const replaced = await replacePlaceholders(text, new Map(Object.entries(replacements)));
  if (!replaced.ok) throw new RangeError(replaced.message);
  const tokens = await scanSql(replaced.sql);
  const bytes = Buffer.from(replaced.sql, "utf8");
  let end = bytes.length;
  for (const token of tokens.toReversed()) {
    if (token.text !== ";") break;
    end = token.start;
  }
  return bytes.subarray(0, end).toString("utf8");
}
