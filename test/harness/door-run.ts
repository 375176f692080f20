// A run driven through the doors alone, without the pipeline: for tests of what the database itself refuses.
import { randomUUID } from "node:crypto";
import { CLAUSES } from "../../src/domain/clauses.ts";
import { canonicalJson, sha256 } from "../../src/domain/fingerprint.ts";
import { runNames } from "../../src/domain/identifier.ts";
import { parseRunId, type RunId } from "../../src/domain/run.ts";
import type { WapDatabase } from "./wap-database.ts";

export interface DoorRun {
  readonly runId: RunId;
  readonly stage: string;
  readonly raw: string;
}

export interface DoorRunOptions {
  readonly target?: string;
  readonly rows?: readonly (readonly [string, string])[];
  /** Names of audits whose reading says no. */
  readonly failing?: readonly string[];
  /** Names of audits that get no reading. */
  readonly unread?: readonly string[];
  /** How far the run goes. */
  readonly until?: "building" | "landed" | "opened" | "built" | "read" | "audited" | "approved";
}

const ORDER = ["building", "landed", "opened", "built", "read", "audited", "approved"] as const;

export const audits = CLAUSES.map((clause) => ({
  name: `${clause}_holds`,
  clause,
  level: "gate",
  expectation: "it holds",
}));

const contractOf = (target: string, consumer: string): string =>
  canonicalJson({
    id: `test.${target}`,
    target: `mart.${target}`,
    database: { consumer_role: consumer },
    target_schema: [
      { name: "id", type: "bigint", nulls: "never" },
      { name: "v", type: "numeric(10,2)", nulls: "allowed" },
    ],
    clauses: Object.fromEntries(
      CLAUSES.map((clause) => [clause, { [`${clause}_holds`]: { check: "count" } }]),
    ),
  });

/** `change` edits the contract before it is hashed. */
export async function manifestOf(
  wap: WapDatabase,
  runId: RunId,
  target: string,
  change: (contract: string) => string = (contract) => contract,
): Promise<Record<string, unknown>> {
  const names = runNames({ schema: "mart", name: target }, runId);
  const contract = change(contractOf(target, wap.logins.consumer));
  const [row] = await wap.as(wap.logins.builder, "SELECT wap_admin.target_fingerprint('mart', $1) AS f", [
    target,
  ]);
  return {
    run_id: runId,
    source_ref: "file.csv",
    source_fingerprint: "the-source",
    target_schema: "mart",
    target_relation: target,
    raw_relation: names.raw.name,
    rejects_relation: names.rejects.name,
    excluded_relation: names.excluded.name,
    stage_relation: names.stage.name,
    contract_path: "contract.yml",
    contract,
    contract_hash: sha256(contract),
    transform_sql: "SELECT 1",
    excluded_rows_sql: null,
    transform_hash: "the-transform",
    preflight_fingerprint: row?.["f"],
    control_fingerprint: "the-control-schema",
    provenance: { kind: "cli", initiator: "test", revision: null },
    preflight: {},
    plan: { lockTimeoutMs: 5000, statementTimeoutMs: 60_000 },
  };
}

/** Builds, audits and approves a run through the doors, as far as `until` says. */
export async function doorRun(wap: WapDatabase, options: DoorRunOptions = {}): Promise<DoorRun> {
  const runId = parseRunId(randomUUID());
  if (runId === null) throw new Error("no run id");
  const target = options.target ?? "orders";
  const names = runNames({ schema: "mart", name: target }, runId);
  const run = { runId, stage: `wap_stage."${names.stage.name}"`, raw: `wap_raw."${names.raw.name}"` };
  const last = ORDER.indexOf(options.until ?? "approved");
  const { builder, approver } = wap.logins;
  const rows = options.rows ?? [
    ["1", "1.00"],
    ["2", "2.50"],
  ];
  const readings = audits
    .filter(({ name }) => !(options.unread ?? []).includes(name))
    .map((audit) => ({
      ...audit,
      passed: !(options.failing ?? []).includes(audit.name),
      observed: { verdict: "pass" },
    }));

  const steps: readonly (() => Promise<unknown>)[] = [
    async () =>
      wap.as(builder, "SELECT wap_admin.start_run($1::jsonb, $2::jsonb)", [
        JSON.stringify(await manifestOf(wap, runId, target)),
        JSON.stringify(audits),
      ]),
    async () => {
      await wap.as(builder, "SELECT wap_admin.open_raw($1, ARRAY['id', 'v'])", [runId]);
      for (const [id, v] of rows)
        await wap.as(builder, `INSERT INTO ${run.raw} (id, v) VALUES ($1, $2)`, [id, v]);
      await wap.as(builder, "SELECT wap_admin.seal_raw($1, $2::jsonb)", [
        runId,
        JSON.stringify({ sha256: "the-source", parsed: `${rows.length}` }),
      ]);
    },
    async () => wap.as(builder, "SELECT wap_admin.open_stage($1)", [runId]),
    async () => {
      await wap.as(builder, `INSERT INTO ${run.stage} SELECT id::bigint, v::numeric(10,2) FROM ${run.raw}`);
      await wap.as(builder, "SELECT wap_admin.seal_stage($1)", [runId]);
    },
    async () =>
      wap.as(builder, "SELECT wap_admin.record_readings($1, $2::jsonb, '[]', null)", [
        runId,
        JSON.stringify(readings),
      ]),
    async () => wap.as(builder, "SELECT wap_admin.finish_audit($1)", [runId]),
    async () => approveThroughDoor(wap, approver, runId),
  ];
  for (const step of steps.slice(0, last + 1)) await step();
  return run;
}

export const approveThroughDoor = (
  wap: WapDatabase,
  login: string,
  runId: RunId,
  kind = "publish",
): Promise<unknown> =>
  wap.as(
    login,
    "SELECT wap_admin.approve($1, $2, 'github:lena', 'https://example.test/c/1', wap_admin.bindings($1), '{}')",
    [runId, kind],
  );

/** The guarded transaction as the publisher's client sends it; `before` runs inside it, before the door. */
export const publishThroughDoor = (
  wap: WapDatabase,
  runId: RunId,
  door = "publish",
  login = wap.logins.publisher,
): Promise<unknown> =>
  wap.as(
    login,
    `BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '10s';
     SELECT wap_admin.${door}('${runId}'); COMMIT`,
  );

export const statusOf = async (wap: WapDatabase, runId: RunId): Promise<string> =>
  String((await wap.admin("SELECT status FROM wap_admin.runs WHERE run_id = $1", [runId]))[0]?.["status"]);
