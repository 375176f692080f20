// The statement of an assertion that tests each row by itself, in one pass.
import type { AssertionKeys } from "../../../domain/contract/assertion.ts";
import {
  type Binds,
  column,
  type MeasureQuery,
  type MeasureScope,
  subjectOf,
  testedRows,
} from "./measure.ts";
import { objectOf, sampleOf } from "./sample.ts";

export interface RowConditions {
  /** True for a row that breaks the assertion; where it gives null the row breaks it, too. */
  readonly breaks: string;
  readonly isNull: string;
  readonly nullsViolate: boolean;
  readonly nonFinite?: string | null;
  /** Joined to the tested rows `t`; at most one row for each of them. */
  readonly join?: string;
  /** Extra measured values: aggregates over the tested rows. */
  readonly measured?: readonly (readonly [name: string, sql: string])[];
}

export async function rowByRow(
  common: AssertionKeys,
  scope: MeasureScope,
  conditions: RowConditions,
  binds: Binds,
): Promise<MeasureQuery> {
  const { breaks, isNull, nonFinite } = conditions;
  const from = `${await testedRows(common, scope)} ${conditions.join ?? ""}`;
  const violates = `(CASE WHEN ${isNull} THEN ${conditions.nullsViolate} ELSE coalesce(${breaks}, true) END)`;
  const names =
    subjectOf(common) === "raw" ? scope.rawColumns : scope.contract.target_schema.map(({ name }) => name);
  const sample = sampleOf(
    common,
    scope.contract,
    { from, where: violates, cells: names.map((name) => [name, column(name)] as const) },
    binds,
  );
  const nonFiniteCount =
    nonFinite === undefined || nonFinite === null
      ? "null::text"
      : `count(*) FILTER (WHERE ${nonFinite})::text`;
  const sql = `SELECT count(*)::text AS rows_tested,
      count(*) FILTER (WHERE ${violates})::text AS violations,
      count(*) FILTER (WHERE ${isNull})::text AS null_count,
      ${nonFiniteCount} AS non_finite_count,
      ${objectOf(conditions.measured ?? [], binds)} AS measured,
      ${sample} AS sample
    FROM ${from}`;
  return { sql, values: binds.values };
}
