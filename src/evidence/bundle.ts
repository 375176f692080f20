// A run's evidence out of the control tables: the document that is printed, kept, and hashed.
import { z } from "zod";
import { parseCanonicalContract } from "../domain/contract.ts";
import type { Evidence } from "../domain/evidence.ts";
import { canonicalJson, type EvidenceDigest, type Json, sha256 } from "../domain/fingerprint.ts";
import type { RunRecord } from "../domain/manifest.ts";

/** Evidence of a run as it is now. Pure: nothing is measured or decided again. */
export function evidenceOf(run: RunRecord): Evidence {
  const contract = parseCanonicalContract(run.contract);
  const failure = run.transitions.findLast((transition) => transition.to === "failed");
  const approval = run.approvals.find((one) => one.kind === "publish") ?? null;
  const rollback = run.approvals.find((one) => one.kind === "rollback") ?? null;
  const publication = run.publications.find((one) => one.kind === "publish") ?? null;
  const { preflight, landing } = run;
  return {
    evidence_version: 1,
    run_id: run.runId,
    status: run.status,
    reason_code: failure?.reason ?? null,
    reason: failure?.detail ?? null,
    contract: {
      name: contract.id,
      version: contract.version,
      path: run.contractPath,
      hash: run.contractHash,
      owner: contract.contract_owner.team,
    },
    source: {
      ref: run.sourceRef,
      fingerprint: run.sourceFingerprint,
      bytes: landing?.bytes ?? preflight.source.bytes,
      records: landing?.parsed ?? null,
      rejects: landing?.rejected ?? null,
      parser: landing?.parser ?? null,
    },
    transform: { hash: run.transformHash },
    target: {
      name: preflight.target.name,
      kind: preflight.target.kind,
      exists: preflight.target.exists,
      owner: preflight.target.owner,
      row_count: preflight.target.rowCount,
    },
    database: {
      name: preflight.database.name,
      address: preflight.database.address,
      engine: preflight.database.engine,
      version: preflight.database.version,
    },
    strategy: { name: run.plan.strategy, reason: run.plan.reason },
    audits: run.readings.map(({ name, clause, level, expectation, passed, observed }) => ({
      name,
      clause,
      level,
      expectation,
      passed,
      observed: { ...observed },
    })),
    excluded: { ...run.excluded },
    changes:
      run.changes === null
        ? null
        : {
            added: run.changes.added,
            removed: run.changes.removed,
            changed: run.changes.changed,
            unchanged: run.changes.unchanged,
            columns: { ...run.changes.columns },
          },
    plan: {
      steps: [...run.plan.steps],
      locks: [...run.plan.locks],
      rollback_name: run.plan.rollbackName,
      retention: {
        versions: run.plan.retention.versions,
        age: run.plan.retention.age,
        observe_for: run.plan.retention.observeFor,
      },
    },
    fingerprints: {
      preflight: run.preflightFingerprint,
      stage_schema: run.stageSchemaFingerprint,
      stage_rows: run.stageRowCount,
      stage_content: run.stageFingerprint,
      control_schema: run.controlFingerprint,
    },
    provenance: { ...run.provenance },
    approval:
      approval === null
        ? null
        : { by: approval.by, ref: approval.ref, at: approval.at, bound: { ...approval.bound } },
    published:
      publication === null
        ? null
        : { at: publication.at, version: contract.version, lock_held_ms: publication.lockHeldMs },
    verification: run.verification.map((check) => ({ ...check })),
    rollback: rollback === null ? null : { by: rollback.by, ref: rollback.ref, at: rollback.at },
    rollback_name: run.rollbackName ?? run.plan.rollbackName,
    timings: { created_at: run.createdAt, audited_at: run.auditedAt, published_at: run.publishedAt },
  };
}

/**
 * sha256 over the part of the evidence that an approver decides on: the same for a run whatever happens to it later, and free of
 * timings. Shown in the comment and bound by the approval.
 */
export function evidenceDigest(run: RunRecord): EvidenceDigest {
  const evidence = evidenceOf(run);
  const shown = {
    run_id: evidence.run_id,
    contract: evidence.contract,
    source: evidence.source,
    transform: evidence.transform,
    target: evidence.target,
    strategy: evidence.strategy,
    audits: evidence.audits.map(({ observed, ...audit }) => ({
      ...audit,
      observed: withoutTimings(observed),
    })),
    excluded: evidence.excluded,
    changes: evidence.changes,
    plan: evidence.plan,
    fingerprints: evidence.fingerprints,
    provenance: evidence.provenance,
  };
  return sha256<"evidence">(canonicalJson(z.json().parse(shown) as Json));
}

const withoutTimings = ({ ms: _, ...rest }: Record<string, unknown>): Record<string, unknown> => rest;

/** The run's contract, as it was when the run started. */
export const contractOf = (run: RunRecord) => parseCanonicalContract(run.contract);

export const failedReadings = (run: RunRecord) =>
  run.readings.filter((reading) => !reading.passed && reading.level === "gate");
export const gatingReadings = (run: RunRecord) => run.readings.filter((reading) => reading.level === "gate");
export const advisoryFailures = (run: RunRecord) =>
  run.readings.filter((reading) => !reading.passed && reading.level === "advisory");
/** Why a run failed, as one sentence; null for a run that did not. */
export const failureOf = (run: RunRecord) =>
  run.transitions.findLast((transition) => transition.to === "failed") ?? null;
