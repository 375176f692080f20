// One walk over PostgreSQL's parse tree: what a reading statement may hold, and which functions and relations it names.
import { displayName, type QualifiedName } from "../../../domain/identifier.ts";
import type { SqlTree } from "./parser.ts";

export type Node = { [key: string]: SqlTree };
export const isNode = (tree: SqlTree | undefined): tree is Node =>
  typeof tree === "object" && tree !== null && !Array.isArray(tree);

export interface Allowed {
  /** Names without a schema that stand for a relation of ours. */
  readonly placeholders: readonly string[];
  readonly inputs: readonly QualifiedName[];
  readonly subqueries: boolean;
  readonly aggregates: boolean;
}

export interface Findings {
  /** The first thing that is not allowed, as a sentence; `at` is its offset in UTF-8 bytes. */
  readonly problem: { readonly message: string; readonly at: number } | null;
  /** Names of the functions that the server may call, each in parts. */
  readonly functions: readonly (readonly string[])[];
  /** Those of the allowed inputs that are read, each once. */
  readonly relations: readonly QualifiedName[];
}

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
  RangeTableSample: "TABLESAMPLE, which reads other rows each time,",
  CurrentOfExpr: "CURRENT OF",
};

/** Keys of a node that hold a name in parts, and what the name is of. */
const NAMED: Readonly<Record<string, string>> = {
  funcname: "function",
  names: "type",
  collname: "collation",
  name: "operator",
  operName: "operator",
  useOp: "operator",
};

/** They read relations that a text or an argument names, and are not all marked as volatile. */
const READS_WHAT_IT_IS_TOLD = /^(?:query|table|schema|database|cursor)_to_xml|^ts_stat$/;

/** Volatile to the catalog, but only ever called by the server itself: `s.system` is a column. */
const NEVER_CALLED = new Set(["system", "bernoulli"]);

/** PostgreSQL's own aggregate and window functions (14 to 18). */
const AGGREGATES = new Set(
  `any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp cume_dist dense_rank every first_value
   json_agg json_agg_strict json_object_agg json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict jsonb_agg
   jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique jsonb_object_agg_unique_strict lag last_value lead max
   min mode nth_value ntile percent_rank percentile_cont percentile_disc range_agg range_intersect_agg rank regr_avgx regr_avgy regr_count
   regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number stddev stddev_pop stddev_samp string_agg sum var_pop var_samp
   variance xmlagg`.split(/\s+/),
);
const AGGREGATE_MARKS = ["agg_star", "agg_filter", "agg_distinct", "agg_order", "agg_within_group", "over"];
const AGGREGATE_NODES = new Set(["JsonObjectAgg", "JsonArrayAgg", "GroupingFunc"]);

/** Calls `visit` for every named node of a tree, outer before inner, in the text's order. No recursion: texts may be nested deeply. */
function walk(tree: SqlTree, visit: (kind: string, node: Node) => void): void {
  const waiting: { kind: string; tree: SqlTree }[] = [{ kind: "", tree }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { kind, tree: here } = next;
    if (Array.isArray(here)) for (const item of here.toReversed()) waiting.push({ kind: "", tree: item });
    else if (isNode(here)) {
      if (kind !== "") visit(kind, here);
      for (const [key, value] of Object.entries(here).toReversed()) waiting.push({ kind: key, tree: value });
    }
  }
}

const namesOf = (list: SqlTree | undefined): string[] =>
  Array.isArray(list)
    ? list.flatMap((item) =>
        isNode(item) && isNode(item["String"]) && typeof item["String"]["sval"] === "string"
          ? [item["String"]["sval"]]
          : [],
      )
    : [];

const isForeign = (parts: readonly string[]): boolean =>
  parts.length > 1 && !(parts.length === 2 && parts[0] === "pg_catalog");

/** Where a node stands in the text, in bytes: its own place, else the first one inside it. The tree leaves out a place of 0. */
function placeIn(node: Node): number {
  let place: number | null = null;
  walk([{ node }], (_, { location }) => {
    if (typeof location === "number" && location >= 0) place ??= location;
  });
  return place ?? 0;
}

/** What a statement or an expression holds. */
export function inspect(tree: SqlTree, allowed: Allowed): Findings {
  const functions: string[][] = [];
  const relations = new Map<string, QualifiedName>();
  const inputs = new Map(allowed.inputs.map((input) => [`${input.schema}\n${input.name}`, input]));
  const known = new Set(allowed.placeholders);
  let problem: Findings["problem"] = null;
  const say = (node: Node, message: string): void => {
    problem ??= { message, at: placeIn(node) };
  };

  walk(tree, (kind, node) => {
    if (kind !== "CommonTableExpr" || typeof node["ctename"] !== "string") return;
    known.add(node["ctename"]);
    if (node["ctename"].startsWith("pg_"))
      say(
        node,
        `the name ${node["ctename"]} of a WITH query begins with pg_, as the server's own relations do`,
      );
  });

  const readRelation = (node: Node, name: string): void => {
    const { schemaname, catalogname } = node;
    if (typeof catalogname === "string")
      say(node, `${catalogname}.….${name} names a database; write schema.relation`);
    else if (typeof schemaname === "string") {
      const input = inputs.get(`${schemaname}\n${name}`);
      if (input === undefined)
        say(node, `${displayName({ schema: schemaname, name })} is not among the declared inputs`);
      else relations.set(`${schemaname}\n${name}`, input);
    } else if (!known.has(name)) {
      say(
        node,
        `the relation ${name} has no schema; write {{source}}, a declared input as schema.relation, or the name of a WITH query`,
      );
    }
  };
  const mayCall = (node: Node, parts: string[]): void => {
    functions.push(parts);
    const name = parts.at(-1) ?? "";
    if (READS_WHAT_IT_IS_TOLD.test(name))
      say(node, `the function ${name} reads relations that are not declared as inputs`);
    if (!allowed.aggregates && AGGREGATES.has(name))
      say(node, `an aggregate or window function (${name}) is not allowed here`);
  };

  walk(tree, (kind, node) => {
    const forbidden = FORBIDDEN[kind];
    if (forbidden !== undefined) say(node, `${forbidden} is not allowed: only reading is`);
    if (!allowed.subqueries && (kind === "SubLink" || kind === "SelectStmt"))
      say(node, "a subquery is not allowed here");
    // By shape, not by kind: a relation that the grammar wraps in another way is seen all the same.
    if (typeof node["relname"] === "string") readRelation(node, node["relname"]);
    for (const [key, what] of Object.entries(NAMED)) {
      const parts = namesOf(node[key]);
      if (isForeign(parts)) say(node, `the ${what} ${parts.join(".")} lies outside pg_catalog`);
    }
    if (kind === "FuncCall") {
      mayCall(node, namesOf(node["funcname"]));
      if (!allowed.aggregates && AGGREGATE_MARKS.some((key) => node[key] !== undefined))
        say(node, "an aggregate or window function is not allowed here");
    }
    if (!allowed.aggregates && AGGREGATE_NODES.has(kind))
      say(node, "an aggregate or window function is not allowed here");
    // `(expr).name` and `alias.name` call the function `name` where there is no such column: (10::float8).pg_sleep sleeps.
    const attributes =
      kind === "A_Indirection"
        ? namesOf(node["indirection"])
        : kind === "ColumnRef"
          ? namesOf(node["fields"]).slice(1).slice(-1)
          : [];
    for (const name of attributes)
      if (!NEVER_CALLED.has(name) && !AGGREGATES.has(name)) mayCall(node, [name]);
  });
  return { problem, functions, relations: [...relations.values()] };
}
