// Reading the control tables: whole runs, as evidence is printed from them. Any duty may.
import { z } from "zod";
import { SUBJECTS } from "../../domain/audits/check.ts";
import { CLAUSES } from "../../domain/clauses.ts";
import type {
  Approval,
  PreflightReport,
  Provenance,
  Publication,
  PublicationPlan,
  RunRecord,
} from "../../domain/manifest.ts";
import { isReasonCode } from "../../domain/outcome.ts";
import { type RunId, STATUSES } from "../../domain/run.ts";
import { SQL } from "../../generated/sql.ts";
import type { ControlReader, RunFilter } from "../../ports.ts";
import type { Session } from "./connection.ts";
import { asFault } from "./sql-errors.ts";
import { changesSchema, landingSchema, runIdSchema } from "./wire.ts";

const instant = z.string().transform((text) => new Date(text).toISOString());
const exact = z.string().nullable();
const values = z.record(z.string(), exact);
const textMap = z.record(z.string(), z.string());
const texts = z.array(z.string());
const status = z.enum(STATUSES);

const observed = z.object({
  check: z.string(),
  of: z.enum(SUBJECTS),
  verdict: z.enum(["pass", "fail", "error", "no_baseline"]),
  finding: z.string(),
  measured: values,
  expected: values,
  violations: exact,
  rows_tested: exact,
  null_count: exact,
  non_finite_count: exact,
  groups_missing: exact,
  baseline: z.object({ run_ids: texts, values: texts }).nullable(),
  sample: z.array(values).nullable(),
  sql_sha256: z.string().nullable(),
  clock: z.string().nullable(),
  ms: z.number(),
  error: z.string().nullable(),
});

const reading = z.object({
  name: z.string(),
  clause: z.enum(CLAUSES),
  level: z.enum(["gate", "advisory"]),
  expectation: z.string(),
  passed: z.boolean(),
  observed,
});

const provenance: z.ZodType<Provenance> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("cli"), initiator: z.string(), revision: z.string().nullable() }),
  z.object({
    kind: z.literal("github"),
    repository: z.string(),
    repositoryId: z.string(),
    pullRequest: z.number().nullable(),
    headSha: z.string(),
    baseRef: z.string(),
    baseSha: z.string(),
    initiator: z.object({ id: z.string(), login: z.string() }),
    workflowRun: z.string().nullable(),
    blobs: textMap,
  }),
]);

const preflight: z.ZodType<PreflightReport> = z.object({
  database: z.object({
    name: z.string(),
    systemIdentifier: z.string().nullable(),
    address: z.string(),
    engine: z.literal("postgres"),
    version: z.string(),
    versionNumber: z.number(),
    login: z.string(),
    tls: z.boolean(),
  }),
  source: z.object({ ref: z.string(), bytes: z.string() }),
  target: z.object({
    name: z.string(),
    exists: z.boolean(),
    oid: z.string().nullable(),
    kind: z.string().nullable(),
    owner: z.string().nullable(),
    rowCount: exact,
    currentRun: runIdSchema.nullable(),
    properties: z.number(),
    dependents: texts,
  }),
});

const plan: z.ZodType<PublicationPlan> = z.object({
  strategy: z.literal("view"),
  reason: z.string(),
  firstVersion: z.boolean(),
  steps: texts,
  locks: texts,
  rollbackName: z.string().nullable(),
  retention: z.object({ versions: z.number(), age: z.string(), observeFor: z.string() }),
  lockTimeoutMs: z.number(),
  statementTimeoutMs: z.number(),
  consumerRole: z.string(),
});

const approval: z.ZodType<Approval> = z.object({
  kind: z.enum(["publish", "rollback"]),
  by: z.string(),
  ref: z.string(),
  at: instant,
  login: z.string(),
  bound: textMap,
  facts: z.record(z.string(), z.unknown()),
});

const publication: z.ZodType<Publication> = z.object({
  kind: z.enum(["publish", "rollback"]),
  at: instant,
  login: z.string(),
  backing: z.string(),
  previousBacking: z.string().nullable(),
  previousRun: runIdSchema.nullable(),
  lockHeldMs: z.number(),
  tries: z.number(),
});

const recordSchema: z.ZodType<RunRecord> = z.object({
  runId: runIdSchema,
  status,
  createdAt: instant,
  auditedAt: instant.nullable(),
  publishedAt: instant.nullable(),
  targetName: z.string(),
  stageName: z.string(),
  sourceRef: z.string(),
  sourceFingerprint: z.string(),
  contractHash: z.string(),
  transformHash: z.string(),
  preflightFingerprint: z.string(),
  controlFingerprint: z.string(),
  stageRowCount: exact,
  stageFingerprint: z.string().nullable(),
  stageSchemaFingerprint: z.string().nullable(),
  rollbackName: z.string().nullable(),
  contract: z.string(),
  contractPath: z.string(),
  provenance,
  preflight,
  plan,
  builtBy: z.string(),
  baseRun: runIdSchema.nullable(),
  landing: landingSchema.nullable(),
  readings: z.array(reading),
  expected: texts,
  excluded: textMap,
  approvals: z.array(approval),
  publications: z.array(publication),
  verification: z.array(z.object({ name: z.string(), passed: z.boolean(), observed: z.string() })),
  transitions: z.array(
    z.object({
      from: status.nullable(),
      to: status,
      at: instant,
      login: z.string(),
      reason: z.string().refine(isReasonCode).nullable(),
      detail: z.string().nullable(),
    }),
  ),
  current: z.boolean(),
  changes: changesSchema.nullable(),
});

export const postgresControlReader = (session: Session): ControlReader => ({
  run: async (runId) => (await runsWhere(session, runId, { limit: 1 }))[0] ?? null,
  runs: (filter) => runsWhere(session, null, filter),
});

async function runsWhere(
  session: Session,
  runId: RunId | null,
  filter: RunFilter,
): Promise<readonly RunRecord[]> {
  try {
    const rows = await session.query<{ record: unknown }>(SQL["engines/postgres/queries/run-records.sql"], [
      runId,
      filter.contractId ?? null,
      filter.target ?? null,
      filter.status ?? null,
      filter.repository ?? null,
      filter.pullRequest?.toString() ?? null,
      filter.limit ?? 100,
    ]);
    return rows.map((row) => recordSchema.parse(row.record));
  } catch (error) {
    throw asFault(error, "reading the control tables");
  }
}

/** The approvals of a run alone, for those who act on one. */
export async function approvalsOf(session: Session, runId: RunId): Promise<readonly Approval[]> {
  const rows = await session.query(
    `SELECT a.kind, a.approved_by AS by, a.approval_ref AS ref, to_jsonb(a.approved_at) AS at, a.recorded_by AS login, a.bound, a.facts
     FROM wap_admin.approvals a WHERE a.run_id = $1 ORDER BY a.approved_at`,
    [runId],
  );
  return z.array(approval).parse(rows);
}

/** The publications of a run alone: whether it was published or rolled back, and how. */
export async function publicationsOf(session: Session, runId: RunId): Promise<readonly Publication[]> {
  const rows = await session.query(
    `SELECT p.kind, to_jsonb(p.at) AS at, p.published_by AS login, p.backing_name AS backing, p.previous_name AS "previousBacking",
       p.previous_run_id::text AS "previousRun", to_jsonb(p.lock_held_ms) AS "lockHeldMs", p.tries
     FROM wap_admin.publications p WHERE p.run_id = $1 ORDER BY p.seq`,
    [runId],
  );
  return z.array(publication).parse(rows);
}
