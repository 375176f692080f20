// What a contract's SQL may be, decided on PostgreSQL's own parse tree and before anything runs (specification 4; safety U1, U3).
import { displayName, type QualifiedName, type SqlIdentifier } from "../../domain/identifier.ts";
import { parseSql, scanSql, type SqlTree } from "./grammar/parser.ts";

export type CheckedSelect =
  | { readonly ok: true; /** Names of the functions called, each in parts. */ readonly functions: readonly (readonly string[])[] }
  /** Line and column count from 1. */
  | { readonly ok: false; readonly message: string; readonly line: number; readonly column: number };

type Node = { [key: string]: SqlTree };
const isNode = (tree: SqlTree | undefined): tree is Node => typeof tree === "object" && tree !== null && !Array.isArray(tree);

/** Calls `visit` for every named node of a tree, with the node's kind. */
function walk(tree: SqlTree, visit: (kind: string, node: Node) => void): void {
  if (Array.isArray(tree)) for (const item of tree) walk(item, visit);
  else if (isNode(tree)) {
    for (const [kind, value] of Object.entries(tree)) {
      if (isNode(value)) visit(kind, value);
      walk(value, visit);
    }
  }
}

const namesOf = (list: SqlTree | undefined): string[] =>
  Array.isArray(list) ? list.flatMap((item) => (isNode(item) && isNode(item["String"]) && typeof item["String"]["sval"] === "string" ? [item["String"]["sval"]] : [])) : [];

/** Nodes that have no place in a query that only reads. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  InsertStmt: "an INSERT",
  UpdateStmt: "an UPDATE",
  DeleteStmt: "a DELETE",
  MergeStmt: "a MERGE",
  intoClause: "SELECT INTO",
  IntoClause: "SELECT INTO",
  LockingClause: "a locking clause (FOR UPDATE, FOR SHARE)",
  ParamRef: "a parameter such as $1",
  RangeTableSample: "TABLESAMPLE, which reads other rows each time",
  CurrentOfExpr: "CURRENT OF",
};

interface Allowed {
  readonly relations: ReadonlySet<string>;
  readonly subqueries: boolean;
}

/** The first thing in a tree that is not allowed, as a sentence; and every function that it calls. */
function inspect(tree: SqlTree, allowed: Allowed): { readonly problem: string | null; readonly functions: string[][] } {
  const functions: string[][] = [];
  const withNames = new Set<string>();
  walk(tree, (kind, node) => {
    if (kind === "CommonTableExpr" && typeof node["ctename"] === "string") withNames.add(node["ctename"]);
  });
  let problem: string | null = null;
  const say = (sentence: string): void => {
    problem ??= sentence;
  };
  for (const name of withNames) if (name.startsWith("pg_")) say(`the name ${name} of a WITH query begins with pg_, as the server's own relations do`);
  const foreign = (parts: readonly string[]): boolean => parts.length > 1 && !(parts.length === 2 && parts[0] === "pg_catalog");
  walk(tree, (kind, node) => {
    const forbidden = FORBIDDEN[kind];
    if (forbidden !== undefined) say(`${forbidden} is not allowed: only reading is`);
    if (kind === "SelectStmt" && Array.isArray(node["lockingClause"])) say("a locking clause (FOR UPDATE, FOR SHARE) is not allowed: only reading is");
    if (kind === "SubLink" && !allowed.subqueries) say("a subquery is not allowed here");
    if (kind === "RangeVar") {
      const { schemaname, relname, catalogname } = node;
      const name = typeof relname === "string" ? relname : "";
      if (typeof catalogname === "string") say(`${catalogname}.….${name} names a database; write schema.relation`);
      else if (typeof schemaname !== "string") {
        if (!withNames.has(name)) say(`the relation ${name} has no schema; write {{source}}, a declared input as schema.relation, or the name of a WITH query`);
      } else if (!allowed.relations.has(`${schemaname}\n${name}`)) say(`${displayName({ schema: schemaname, name })} is not among the declared inputs`);
    }
    if (kind === "FuncCall") {
      const parts = namesOf(node["funcname"]);
      functions.push(parts);
      if (foreign(parts)) say(`the function ${parts.join(".")} lies outside pg_catalog`);
    }
    if (kind === "A_Expr" && foreign(namesOf(node["name"]))) say(`the operator ${namesOf(node["name"]).join(".")} lies outside pg_catalog`);
    if (kind === "TypeName" || kind === "typeName") {
      const parts = namesOf(node["names"]);
      if (foreign(parts)) say(`the type ${parts.join(".")} lies outside pg_catalog`);
    }
  });
  return { problem, functions };
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = [...text].slice(0, offset).join("").split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Stands for a placeholder while a text is checked; no contract can declare such an input. */
const placeholderName = (name: string): QualifiedName => ({ schema: "wap_raw", name });

/**
 * Checks a contract's query: exactly one SELECT, over the placeholders and the declared inputs, that changes nothing.
 * @param limits `inputs` are the declared relations, `placeholders` the names that `{{…}}` may hold.
 */
export async function checkSelect(text: string, limits: { readonly inputs: readonly QualifiedName[]; readonly placeholders: readonly string[] }): Promise<CheckedSelect> {
  const wrong = (message: string, offset = 0): CheckedSelect => ({ ok: false, message, ...placeOf(text, offset) });
  const replaced = await replacePlaceholders(text, Object.fromEntries(limits.placeholders.map((name) => [name, `wap_raw."${name}"`])));
  if (typeof replaced !== "string") return wrong(replaced.problem);
  const parsed = await parseSql(replaced);
  if (!parsed.ok) return wrong(parsed.message, Math.min(parsed.offset, text.length));
  const [statement, second] = parsed.statements;
  if (statement === undefined) return wrong("the file holds no statement; write one SELECT");
  if (second !== undefined) return wrong("the file holds more than one statement; write one SELECT");
  if (!isNode(statement) || !isNode(statement["SelectStmt"])) return wrong("the statement is not a SELECT");
  const relations = new Set([...limits.inputs, ...limits.placeholders.map(placeholderName)].map(({ schema, name }) => `${schema}\n${name}`));
  const { problem, functions } = inspect(statement, { relations, subqueries: true });
  return problem === null ? { ok: true, functions } : wrong(problem);
}

/**
 * Checks a contract's expression (`where`, `expr`): one scalar over the relation's columns, without subqueries, aggregates or window
 * functions. @returns a sentence, or null where it may run.
 */
export async function checkExpression(text: string): Promise<string | null> {
  const checked = await inspectExpression(text);
  return typeof checked === "string" ? checked : null;
}

/** The functions that an expression calls; empty for one that may not run. */
export async function functionsOf(text: string): Promise<readonly (readonly string[])[]> {
  const checked = await inspectExpression(text);
  return typeof checked === "string" ? [] : checked;
}

async function inspectExpression(text: string): Promise<string | readonly string[][]> {
  const parsed = await parseSql(`SELECT (\n${text}\n)`);
  if (!parsed.ok) return parsed.message;
  const [statement, second] = parsed.statements;
  const select = isNode(statement) ? statement["SelectStmt"] : undefined;
  if (second !== undefined || !isNode(select)) return "it is not one expression";
  const extra = Object.keys(select).filter((key) => !["targetList", "limitOption", "op"].includes(key));
  if (extra.length > 0 || !Array.isArray(select["targetList"]) || select["targetList"].length !== 1) return "it is not one expression";
  const { problem, functions } = inspect(select, { relations: new Set(), subqueries: false });
  if (problem !== null) return problem;
  let aggregate = false;
  walk(select, (kind, node) => {
    if (kind === "FuncCall" && ["agg_star", "agg_filter", "agg_distinct", "agg_order", "agg_within_group", "over"].some((key) => node[key] !== undefined)) aggregate = true;
  });
  return aggregate ? "an aggregate or window function is not allowed here" : functions;
}

/**
 * The query as it runs: placeholders replaced outside strings and comments, without a final semicolon.
 * @throws RangeError for a text that checkSelect refuses.
 */
export async function renderTransform(text: string, replacements: Readonly<Record<string, SqlIdentifier>>): Promise<string> {
  const replaced = await replacePlaceholders(text, replacements);
  if (typeof replaced !== "string") throw new RangeError(replaced.problem);
  const tokens = (await scanSql(replaced)) ?? [];
  const bytes = Buffer.from(replaced, "utf8");
  let end = bytes.length;
  for (const token of tokens.toReversed()) {
    if (token.text !== ";") break;
    end = token.start;
  }
  return bytes.subarray(0, end).toString("utf8");
}

/** Replaces `{{name}}` where the scanner sees it as five tokens: never inside a string, a quoted name or a comment. */
async function replacePlaceholders(text: string, replacements: Readonly<Record<string, string>>): Promise<string | { readonly problem: string }> {
  const tokens = await scanSql(text);
  // What the scanner cannot cut, the parser refuses with its own message.
  if (tokens === null) return text;
  const bytes = Buffer.from(text, "utf8");
  const parts: Buffer[] = [];
  let from = 0;
  for (let n = 0; n + 4 < tokens.length; n += 1) {
    const [a, b, name, c, d] = tokens.slice(n, n + 5);
    if (a?.text !== "{" || b?.text !== "{" || c?.text !== "}" || d?.text !== "}" || name === undefined) continue;
    const replacement = Object.hasOwn(replacements, name.text) ? replacements[name.text] : undefined;
    if (replacement === undefined) return { problem: `{{${name.text}}} is not a placeholder; write {{${Object.keys(replacements).join("}} or {{")}}}` };
    parts.push(bytes.subarray(from, a.start), Buffer.from(replacement, "utf8"));
    from = d.end;
    n += 4;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]).toString("utf8");
}
