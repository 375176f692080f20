// What several outputs say of a run, each decided once: who sees what, what was counted, what was waived.
import { z } from "zod";
import type { Reading } from "../domain/audits/check.ts";
import { CLAUSES, type Clause } from "../domain/clauses.ts";
import type { NotApplicable } from "../domain/contract/clause-block.ts";
import { isNotApplicable } from "../domain/contract/clause-block.ts";
import { durationMs } from "../domain/duration.ts";
import type { Approval, Publication, RunRecord } from "../domain/manifest.ts";
import { grouped, readableDay, readableInstant } from "../domain/numbers.ts";
import { contractOf } from "./bundle.ts";

export const rowsBefore = (run: RunRecord): string | null => run.preflight.target.rowCount;

/** Rows of the candidate; null where it was never built. */
export const rowsOf = (run: RunRecord): string | null => run.stageRowCount;

export const publicationOf = (run: RunRecord, kind: Publication["kind"]): Publication | null =>
  run.publications.findLast((one) => one.kind === kind) ?? null;

/** How long readers waited, at most: rounded up, or it would not be true. */
export const waitedAtMost = ({ lockHeldMs }: Publication): string =>
  `${grouped(`${Math.ceil(lockHeldMs)}`)} ms`;

/** The newest approval: earlier ones of the same kind belong to attempts that ended otherwise. */
export const approvalOf = (run: RunRecord, kind: Approval["kind"]): Approval | null =>
  run.approvals.findLast((one) => one.kind === kind) ?? null;

/** Declared audits without a reading: none is a pass (safety E2). */
export function unread(run: RunRecord): readonly string[] {
  const read = new Set(run.readings.map(({ name }) => name));
  return run.expected.filter((name) => !read.has(name));
}

/** Clauses that the contract's owner waived. */
export const waivers = (run: RunRecord): readonly (readonly [Clause, NotApplicable])[] => {
  const { clauses } = contractOf(run);
  return CLAUSES.flatMap((clause) => {
    const block = clauses[clause];
    return isNotApplicable(block) ? [[clause, block.not_applicable] as const] : [];
  });
};

/** The version that readers saw when this run began; null where it cannot be told from these runs. */
export function versionBefore(run: RunRecord, others: readonly RunRecord[]): string | null {
  const before = run.baseRun === null ? undefined : others.find((one) => one.runId === run.baseRun);
  return before === undefined ? null : contractOf(before).version;
}

/** Instant until which retention keeps the version that `run` replaced, at least. */
export function keptUntil(run: RunRecord): string | null {
  if (run.publishedAt === null || run.rollbackName === null) return null;
  return new Date(Date.parse(run.publishedAt) + durationMs(run.plan.retention.age)).toISOString();
}

/**
 * The newest value that a freshness audit saw, and its column: a day for a date column (in the audit's own zone, since the measured
 * instant is that day's beginning or end), else an instant in UTC.
 */
export function newestValue(run: RunRecord): { readonly column: string; readonly text: string } | null {
  const contract = contractOf(run);
  const freshness: Readonly<Record<string, unknown>> = contract.clauses.freshness;
  for (const { name, observed } of run.readings) {
    const value = observed.measured["newest"];
    const assertion = freshnessSchema.safeParse(freshness[name]);
    if (observed.check !== "max_age" || typeof value !== "string" || !assertion.success) continue;
    const { column, zone } = assertion.data;
    const isDate = contract.target_schema.some((one) => one.name === column && one.type === "date");
    return { column, text: isDate ? dayIn(zone, value) : readableInstant(value) };
  }
  return null;
}

const freshnessSchema = z.object({ column: z.string(), zone: z.string().default("UTC") });

function dayIn(zone: string, iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  try {
    const parts = new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    return readableDay(`${parts.format(date)}T00:00:00Z`);
  } catch (error) {
    // A zone that this Node does not know: the instant itself is still true.
    if (!(error instanceof RangeError)) throw error;
    return readableInstant(iso);
  }
}

/** Records and rows by where they went: the terms of the row ledger, in order. */
export interface LedgerTerm {
  readonly name: string;
  readonly count: string;
  readonly kind: "delivered" | "lost" | "staged";
}

export function ledgerTerms(run: RunRecord): readonly LedgerTerm[] {
  const { landing } = run;
  if (landing === null) return [];
  return [
    { name: "parsed", count: landing.parsed, kind: "delivered" },
    { name: "rejected", count: landing.rejected, kind: "lost" },
    { name: "landed", count: landing.landed, kind: "delivered" },
    ...Object.entries(run.excluded).map(
      ([reason, count]): LedgerTerm => ({ name: `left out: ${reason}`, count, kind: "lost" }),
    ),
    ...(run.stageRowCount === null
      ? []
      : [{ name: "staged", count: run.stageRowCount, kind: "staged" } as const]),
  ];
}

/** Every measured value of a reading that says more than its finding, as text pairs. */
export function countsOf({ observed }: Reading): readonly (readonly [string, string])[] {
  const counts: readonly (readonly [string, string | null])[] = [
    ["violations", observed.violations],
    ["rows tested", observed.rows_tested],
    ["nulls", observed.null_count],
    ["not finite", observed.non_finite_count],
    ["groups on one side only", observed.groups_missing],
  ];
  return counts.flatMap(([name, count]) => (count === null ? [] : [[name, count] as const]));
}
