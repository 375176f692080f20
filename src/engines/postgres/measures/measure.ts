// What a measure is: one statement for one assertion, and the row that it answers with.
import { z } from "zod";
import type { Measurement } from "../../../domain/audits/check.ts";
import type { AssertionKeys } from "../../../domain/contract/assertion.ts";
import type { Contract } from "../../../domain/contract.ts";
import { quoteIdentifier, type SqlIdentifier } from "../../../domain/identifier.ts";
import { checkExpression, functionsOf } from "../sql-grammar.ts";

/** Everything that measures read besides the assertion. */
export interface MeasureContext {
  readonly contract: Contract;
  readonly relations: {
    readonly raw: SqlIdentifier;
    readonly staged: SqlIdentifier;
    readonly excluded: SqlIdentifier;
  };
  readonly stageOid: number;
  readonly rawColumns: readonly string[];
  /** Counts that equations name, as text: parsed, landed, rejected, excluded.<reason>. The stage is counted when measured. */
  readonly counts: Readonly<Record<string, string>>;
  /** ISO 8601 instants; `as_of` is null where the contract declares none. */
  readonly clocks: { readonly run_start: string; readonly as_of: string | null };
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** A context with what was read from the server for all audits at once. */
export interface MeasureScope extends MeasureContext {
  /** Names of the server's functions that are volatile in any form. */
  readonly volatileFunctions: ReadonlySet<string>;
}

/** One statement with bound values. Its row has the columns that `measurementSchema` reads; what is missing counts as not measured. */
export interface MeasureQuery {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Makes the statement of an assertion. @throws MeasureRefusal where the assertion cannot be measured as it is written. */
export type Measure = (assertion: unknown, scope: MeasureScope) => Promise<MeasureQuery>;

/** An assertion that cannot be measured; its audit's verdict is error. */
export class MeasureRefusal extends Error {}

const exact = z.string().nullable().default(null);
const texts = z.record(z.string(), z.string().nullable());

/** The columns that a measure's row may have. */
export const measurementSchema: z.ZodType<Measurement> = z
  .strictObject({
    measured: texts.nullable().default(null),
    violations: exact,
    rows_tested: exact,
    null_count: exact,
    non_finite_count: exact,
    groups_missing: exact,
    sample: z.array(texts).nullable().default(null),
  })
  .transform((row) => ({
    measured: row.measured ?? {},
    violations: row.violations,
    rowsTested: row.rows_tested,
    nullCount: row.null_count,
    nonFiniteCount: row.non_finite_count,
    groupsMissing: row.groups_missing,
    sample: row.sample,
  }));

/** Collects bound values while a statement is written. */
export class Binds {
  readonly values: unknown[] = [];

  /** Binds a value; the placeholder with its type. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/**
 * A contract's SQL expression, in parentheses, after PostgreSQL's grammar said that it is one and that it calls nothing
 * volatile (safety U3). @throws MeasureRefusal
 */
export async function expression(text: string, scope: MeasureScope): Promise<string> {
  const problem = await checkExpression(text);
  if (problem !== null) throw new MeasureRefusal(`${JSON.stringify(text)}: ${problem}`);
  refuseVolatile(await functionsOf(text), scope, JSON.stringify(text));
  return `(\n${text}\n)`;
}

/** @throws MeasureRefusal where one of the functions would not give the same answer twice, or does more than answer. */
export function refuseVolatile(
  functions: readonly (readonly string[])[],
  { volatileFunctions }: MeasureScope,
  where: string,
): void {
  const found = functions.map((parts) => parts.at(-1) ?? "").find((name) => volatileFunctions.has(name));
  if (found !== undefined) throw new MeasureRefusal(`${where}: the function ${found} is volatile`);
}

/** The relation that an assertion tests. @throws MeasureRefusal */
export function subjectOf(common: AssertionKeys, fallback: "raw" | "staged" = "staged"): "raw" | "staged" {
  const subject = common.of ?? fallback;
  if (subject !== "raw" && subject !== "staged")
    throw new MeasureRefusal(`\`of: ${subject}\` is not yet supported`);
  return subject;
}

/** The rows that an assertion tests, as a FROM item named `t`: its subject, where its `where` is true. @throws MeasureRefusal */
export async function testedRows(
  common: AssertionKeys,
  scope: MeasureScope,
  fallback: "raw" | "staged" = "staged",
): Promise<string> {
  const relation = scope.relations[subjectOf(common, fallback)];
  if (common.where === undefined) return `${relation} AS t`;
  return `(SELECT * FROM ${relation} WHERE ${await expression(common.where, scope)}) AS t`;
}

/** A column that is tested: its type where it is tested, and whether the target may hold nulls in it. */
export interface TestedColumn {
  readonly type: string;
  readonly nulls: "never" | "allowed";
}

/**
 * A raw cell is text, whatever the target makes of it; nulls are judged by the target's column of that name.
 * @throws MeasureRefusal where the tested relation has no such column.
 */
export function testedColumn(name: string, common: AssertionKeys, scope: MeasureScope): TestedColumn {
  const declared = scope.contract.target_schema.find((one) => one.name === name);
  if (subjectOf(common) === "raw") {
    if (!scope.rawColumns.includes(name))
      throw new MeasureRefusal(`there is no column ${name} in the raw snapshot`);
    return { type: "text", nulls: declared?.nulls ?? "allowed" };
  }
  if (declared === undefined) throw new MeasureRefusal(`there is no column ${name} in target_schema`);
  return declared;
}

/** Whether a null in the column is a violation: `on_null`, else the column's own `nulls`. */
export const nullsViolate = (common: AssertionKeys, nulls: TestedColumn["nulls"]): boolean =>
  common.on_null === undefined ? nulls === "never" : common.on_null === "violation";

/** A column of the tested rows. */
export const column = (name: string): string => `t.${quoteIdentifier(name)}`;

export const isText = (type: string): boolean => /^(?:text|character)/.test(type);
export const isFloat = (type: string): boolean => type === "double precision" || type === "real";

/** SQL condition for NaN and infinities of a value of that type; null for types that have none. */
export function nonFiniteCondition(sql: string, type: string): string | null {
  if (isFloat(type) || /^numeric/.test(type)) return `${sql} IN ('NaN', 'Infinity', '-Infinity')`;
  if (/^(?:date|timestamp|interval)/.test(type)) return `NOT isfinite(${sql})`;
  return null;
}
