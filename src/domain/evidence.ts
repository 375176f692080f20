// The evidence document: what `--json` prints, what evidence.json holds, and what the approver's digest is taken of.
import { z } from "zod";
import { CLAUSES } from "./clauses.ts";
import { STATUSES } from "./run.ts";

const exact = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .describe("exact number as text");
const instant = z.string().describe("ISO 8601 instant in UTC");
const texts = z.record(z.string(), z.string().nullable());

const auditSchema = z.strictObject({
  name: z.string(),
  clause: z.enum(CLAUSES),
  level: z.enum(["gate", "advisory"]),
  expectation: z.string(),
  passed: z.boolean(),
  observed: z.record(z.string(), z.unknown()),
});

/** Evidence version 1. Everything is taken from the control tables; nothing here is decided again. */
export const evidenceSchema = z.strictObject({
  evidence_version: z.literal(1),
  run_id: z.string(),
  status: z.enum(STATUSES),
  reason_code: z.string().nullable(),
  reason: z.string().nullable(),
  contract: z.strictObject({
    name: z.string(),
    version: z.string(),
    path: z.string(),
    hash: z.string(),
    owner: z.string(),
  }),
  source: z.strictObject({
    ref: z.string(),
    fingerprint: z.string(),
    bytes: exact.nullable(),
    records: exact.nullable(),
    rejects: exact.nullable(),
    parser: z.record(z.string(), z.string()).nullable(),
  }),
  transform: z.strictObject({ hash: z.string() }),
  target: z.strictObject({
    name: z.string(),
    kind: z.string().nullable(),
    exists: z.boolean(),
    owner: z.string().nullable(),
    row_count: exact.nullable(),
  }),
  database: z.strictObject({
    name: z.string(),
    address: z.string(),
    engine: z.string(),
    version: z.string(),
  }),
  strategy: z.strictObject({ name: z.string(), reason: z.string() }),
  audits: z.array(auditSchema),
  excluded: z.record(z.string(), exact),
  changes: z
    .strictObject({
      added: exact,
      removed: exact,
      changed: exact,
      unchanged: exact,
      columns: z.record(z.string(), exact),
    })
    .nullable(),
  plan: z.strictObject({
    steps: z.array(z.string()),
    locks: z.array(z.string()),
    rollback_name: z.string().nullable(),
    retention: z.strictObject({ versions: z.number().int(), age: z.string(), observe_for: z.string() }),
  }),
  fingerprints: z.strictObject({
    preflight: z.string(),
    stage_schema: z.string().nullable(),
    stage_rows: exact.nullable(),
    stage_content: z.string().nullable(),
    control_schema: z.string(),
  }),
  provenance: z.record(z.string(), z.unknown()),
  approval: z.strictObject({ by: z.string(), ref: z.string(), at: instant, bound: texts }).nullable(),
  published: z.strictObject({ at: instant, version: z.string(), lock_held_ms: z.number() }).nullable(),
  verification: z.array(z.strictObject({ name: z.string(), passed: z.boolean(), observed: z.string() })),
  rollback: z.strictObject({ by: z.string(), ref: z.string(), at: instant }).nullable(),
  rollback_name: z.string().nullable(),
  timings: z.strictObject({
    created_at: instant,
    audited_at: instant.nullable(),
    published_at: instant.nullable(),
  }),
});

export type Evidence = z.infer<typeof evidenceSchema>;
