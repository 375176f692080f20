// Example rows for the evidence: only where a contract asks, only the columns that may be shown, each cell cut.
import type { AssertionKeys } from "../../../domain/contract/assertion.ts";
import type { Contract } from "../../../domain/contract.ts";
import type { Binds } from "./measure.ts";

/** A cell is cut, so that evidence stays small whatever was delivered. */
const CELL_CHARACTERS = 200;

/** jsonb_build_object takes at most 100 arguments. */
const PAIRS = 50;

/** A jsonb object of text values; `pairs` are a name and the SQL of its value. */
export function objectOf(pairs: readonly (readonly [name: string, sql: string])[], binds: Binds): string {
  const objects: string[] = [];
  for (let n = 0; n < pairs.length; n += PAIRS) {
    const some = pairs.slice(n, n + PAIRS).map(([name, sql]) => `${binds.add(name, "text")}, (${sql})::text`);
    objects.push(`jsonb_build_object(${some.join(", ")})`);
  }
  return objects.length === 0 ? "'{}'::jsonb" : `(${objects.join(" || ")})`;
}

/** Whether a column's cells may stand in a sample: asked for, not hidden, and not of a class that is never shown. */
export function isShown(common: AssertionKeys, contract: Contract, name: string): boolean {
  const { sample } = common;
  if (sample === undefined || (sample.hide ?? []).includes(name)) return false;
  if (sample.columns !== undefined && !sample.columns.includes(name)) return false;
  const declared = contract.target_schema.find((column) => column.name === name);
  return declared?.class !== "pii" && declared?.class !== "confidential";
}

export interface Examples {
  /** FROM item and condition of the rows that are wrong. */
  readonly from: string;
  readonly where: string;
  /** Columns and their SQL; shown as the contract allows. */
  readonly cells: readonly (readonly [column: string, sql: string])[];
  /** What is no cell of the data: counts, the record's number. */
  readonly facts?: readonly (readonly [name: string, sql: string])[];
}

/** SQL of the sample: a jsonb list of at most the declared number of rows, or null where none is asked for. */
export function sampleOf(
  common: AssertionKeys,
  contract: Contract,
  examples: Examples,
  binds: Binds,
): string {
  if (common.sample === undefined) return "null::jsonb";
  const cells = examples.cells
    .filter(([name]) => isShown(common, contract, name))
    .map(([name, sql]) => [name, `left((${sql})::text, ${CELL_CHARACTERS})`] as const);
  const example = objectOf([...cells, ...(examples.facts ?? [])], binds);
  const limit = binds.add(common.sample.rows, "bigint");
  return `(SELECT jsonb_agg(example) FROM (SELECT ${example} AS example FROM ${examples.from} WHERE ${examples.where} LIMIT ${limit}) AS examples)`;
}
