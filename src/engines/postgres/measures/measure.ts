// What a measure is: one statement for one assertion, and the row that it answers with.
import { z } from "zod";
import type { CommonKeys } from "../../../domain/contract/assertion.ts";
import type { Contract } from "../../../domain/contract.ts";
import type { Measurement } from "../../../domain/audits/check.ts";
import { quoteIdentifier, type SqlIdentifier } from "../../../domain/identifier.ts";
import { checkExpression } from "../sql-grammar.ts";

/** Everything that measures read besides the assertion. */
export interface MeasureContext {
  readonly contract: Contract;
  readonly relations: { readonly raw: SqlIdentifier; readonly staged: SqlIdentifier; readonly excluded: SqlIdentifier };
  /** Name of the stage in `wap_stage`. */
  readonly stageOid: number;
  readonly rawColumns: readonly string[];
  /** Counts that equations name, as text: parsed, landed, rejected, staged, excluded.<reason>. */
  readonly counts: Readonly<Record<string, string>>;
  /** ISO 8601 instants; `as_of` is null where the contract declares none. */
  readonly clocks: { readonly run_start: string; readonly as_of: string | null };
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** One statement with bound values. Its row has the columns that `measurementSchema` reads; what is missing counts as not measured. */
export interface MeasureQuery {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Makes the statement of an assertion. @throws MeasureRefusal where the assertion cannot be measured as it is written. */
export type Measure = (assertion: unknown, context: MeasureContext) => Promise<MeasureQuery>;

/** An assertion that cannot be measured; its audit's verdict is error. */
export class MeasureRefusal extends Error {}

const exact = z.string().nullable().default(null);
const texts = z.record(z.string(), z.string().nullable());

export const measurementSchema: z.ZodType<Measurement> = z
  .object({
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

/** A contract's SQL expression, in parentheses, after PostgreSQL's grammar said that it is one. @throws MeasureRefusal */
export async function expression(text: string): Promise<string> {
  const problem = await checkExpression(text);
  if (problem !== null) throw new MeasureRefusal(`${JSON.stringify(text)}: ${problem}`);
  return `(\n${text}\n)`;
}

/** The rows that an assertion tests, as a FROM item named `t`: its subject, where its `where` is true. @throws MeasureRefusal */
export async function testedRows(common: CommonKeys, context: MeasureContext, fallback: "raw" | "staged" = "staged"): Promise<string> {
  const subject = common.of ?? fallback;
  if (subject !== "raw" && subject !== "staged") throw new MeasureRefusal(`\`of: ${subject}\` is not yet supported`);
  if (common.group_by !== undefined) throw new MeasureRefusal("`group_by` is not yet supported by this check");
  const relation = context.relations[subject];
  return common.where === undefined ? `${relation} AS t` : `(SELECT * FROM ${relation} WHERE ${await expression(common.where)}) AS t`;
}

/** The declared column. @throws MeasureRefusal */
export function declaredColumn(name: string, { contract }: MeasureContext): Contract["target_schema"][number] {
  const column = contract.target_schema.find((one) => one.name === name);
  if (column === undefined) throw new MeasureRefusal(`there is no column ${name} in target_schema`);
  return column;
}

/** Whether a null in the column is a violation: `on_null`, else the column's own `nulls`. */
export const nullsViolate = (common: CommonKeys, nulls: "never" | "allowed"): boolean => (common.on_null === undefined ? nulls === "never" : common.on_null === "violation");

export interface RowConditions {
  /** True for a row that breaks the assertion; may be null, which counts as `nulls` says. */
  readonly breaks: string;
  readonly isNull: string;
  readonly nullsViolate: boolean;
  readonly nonFinite?: string;
  /** Extra measured values as name → SQL text expression over the tested rows. */
  readonly measured?: Readonly<Record<string, string>>;
}

/** The statement of an assertion that tests each row by itself, in one pass; examples only where the contract asks for them. */
export async function rowByRow(common: CommonKeys, context: MeasureContext, conditions: RowConditions, binds: Binds): Promise<MeasureQuery> {
  const rows = await testedRows(common, context);
  const violates = `(CASE WHEN ${conditions.isNull} THEN ${conditions.nullsViolate} ELSE coalesce(${conditions.breaks}, true) END)`;
  const measured = Object.entries(conditions.measured ?? {}).map(([name, sql]) => `${binds.add(name, "text")}, (${sql})::text`);
  const sql = `SELECT count(*)::text AS rows_tested, count(*) FILTER (WHERE ${violates})::text AS violations,
      count(*) FILTER (WHERE ${conditions.isNull})::text AS null_count,
      ${conditions.nonFinite === undefined ? "null::text" : `count(*) FILTER (WHERE ${conditions.nonFinite})::text`} AS non_finite_count,
      jsonb_build_object(${measured.join(", ")}) AS measured, ${sampleOf(common, context, rows, violates)} AS sample
    FROM ${rows}`;
  return { sql, values: binds.values };
}

function sampleOf(common: CommonKeys, context: MeasureContext, rows: string, violates: string): string {
  if (common.sample === undefined) return "null::jsonb";
  const { sample } = common;
  const hidden = new Set([...(sample.hide ?? []), ...context.contract.target_schema.filter((c) => c.class === "pii" || c.class === "confidential").map((c) => c.name)]);
  const shown = (sample.columns ?? context.contract.target_schema.map((c) => c.name)).filter((name) => !hidden.has(name));
  // A cell is cut, so that evidence stays small whatever was delivered.
  const cells = shown.map((name) => `'${name.replaceAll("'", "''")}', left(t.${quoteIdentifier(name)}::text, 200)`);
  return `(SELECT jsonb_agg(example) FROM (SELECT jsonb_build_object(${cells.join(", ")}) AS example FROM ${rows} WHERE ${violates} LIMIT ${Number(sample.rows)}) AS examples)`;
}

/** A column of the tested rows. */
export const column = (name: string): string => `t.${quoteIdentifier(name)}`;

export const isFloat = (type: string): boolean => type === "double precision" || type === "real";
/** SQL condition for NaN and infinities of a value of that type; null for types that have none. */
export function nonFiniteCondition(sql: string, type: string): string | null {
  if (isFloat(type) || /^numeric/.test(type)) return `${sql}::text IN ('NaN', 'Infinity', '-Infinity')`;
  if (/^(date|timestamp)/.test(type)) return `NOT isfinite(${sql})`;
  return null;
}
