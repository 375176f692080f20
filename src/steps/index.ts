// The story of a run, in order. Each step is one file; each line below is one sentence of the specification.
//
//   preflight   look, read-only: which database, which target, which promotion is safe          (1)
//   land        the delivery as it came, every cell as text, counted by an RFC-4180 parser      (3)
//   build       the transform's rows in an isolated stage, then sealed                          (4)
//   audit       one reading for every declared audit                                            (5)
//   gate        assert_gate(run, false) in the database: may anybody be asked?                  (6)
//   approve     one person, this run, these hashes                                              (7)
//   publish     one guarded transaction that re-checks everything                               (7)
//   verify      what readers see now, as they see it                                            (8)
//   rollback    back to the version before, under the same discipline
import { declaredAudits } from "../domain/audits/plan.ts";
import { canonicalContract, contractHash, targetOf } from "../domain/contract.ts";
import { WapError } from "../domain/errors.ts";
import type { Publication, RunManifest, VerificationCheck } from "../domain/manifest.ts";
import { done, type Outcome, type Refusal } from "../domain/outcome.ts";
import type { RunId } from "../domain/run.ts";
import { transformHash } from "../domain/transform.ts";
import { type ApprovalBy, type ApproveDuties, approve } from "./approve.ts";
import { audit } from "./audit.ts";
import { build } from "./build.ts";
import { explainFailedBuild } from "./explain-failed-build.ts";
import { gate } from "./gate.ts";
import { land } from "./land.ts";
import { type Begun, preflight } from "./preflight.ts";
import { type PublishDuties, publish } from "./publish.ts";
import type { AuditDuties, AuditRequest, AuditResult } from "./request.ts";
import { rollback } from "./rollback.ts";
import { verify } from "./verify.ts";

export type { ApprovalBy, ApproveDuties, AuditDuties, AuditRequest, AuditResult, PublishDuties };
export { approve, preflight, verify };

/** From a delivered file to an audited run. Nothing that readers see is touched. */
export async function auditDelivery(request: AuditRequest, duties: AuditDuties): Promise<AuditResult> {
  const begun = await preflight(request, duties);
  if (!begun.ok) return { ...begun, runId: null };

  const started = await duties.builder.startRun(
    manifestOf(request, begun.value),
    declaredAudits(request.contract),
  );
  if (!started.ok) return { ...started, runId: null };

  return recordingFailure(request, duties, async () => {
    const landed = await land(request, begun.value.source.bytes, duties);
    if (!landed.ok) return failed(request, duties, landed.refusal);

    const built = await build(request, duties);
    if (!built.ok) {
      const ended = await failed(request, duties, built.refusal);
      await explainFailedBuild(request, duties, built.refusal);
      return ended;
    }

    await audit(request, duties);
    const gated = await gate(request, duties);
    return gated.ok ? { ok: true, runId: request.runId } : { ...gated, runId: request.runId };
  });
}

/** From an approved run to a published and verified table; asking twice is harmless. */
export async function publishRun(runId: RunId, duties: PublishDuties): Promise<Outcome<Promoted>> {
  const published = await publish(runId, duties);
  if (!published.ok) return published;
  const verified = await verify(runId, duties);
  return verified.ok ? done({ publication: published.value, verification: verified.value }) : verified;
}

/** From a bad version back to the one before. */
export async function rollBackRun(runId: RunId, duties: PublishDuties): Promise<Outcome<Promoted>> {
  const restored = await rollback(runId, duties);
  if (!restored.ok) return restored;
  const verified = await verify(runId, duties);
  return verified.ok ? done({ publication: restored.value, verification: verified.value }) : verified;
}

export interface Promoted {
  readonly publication: Publication;
  readonly verification: readonly VerificationCheck[];
}

function manifestOf(request: AuditRequest, begun: Begun): RunManifest {
  const { contract, transform } = request;
  const excluded = transform.excluded?.sql ?? null;
  return {
    runId: request.runId,
    target: targetOf(contract),
    sourceRef: request.source.ref,
    sourceFingerprint: begun.source.sha256,
    contract: canonicalContract(contract),
    contractHash: contractHash(contract),
    contractPath: request.contractPath,
    transformSql: transform.sql,
    excludedRowsSql: excluded,
    transformHash: transformHash(transform.sql, excluded, request.revision),
    provenance: request.provenance,
    preflight: begun.preflight.report,
    preflightFingerprint: begun.preflight.preflightFingerprint,
    controlFingerprint: begun.preflight.controlFingerprint,
    plan: begun.preflight.plan,
  };
}

async function failed(
  request: AuditRequest,
  { builder }: AuditDuties,
  refusal: Refusal,
): Promise<AuditResult> {
  await builder.fail(request.runId, refusal);
  return { ok: false, runId: request.runId, refusal };
}

/** A fault ends the run as failed where the database can still be told; the first error is the one that is reported. */
async function recordingFailure(
  request: AuditRequest,
  duties: AuditDuties,
  story: () => Promise<AuditResult>,
): Promise<AuditResult> {
  try {
    return await story();
  } catch (error) {
    const fault =
      error instanceof WapError ? error : new WapError("internal", "an unexpected error", { cause: error });
    try {
      await duties.builder.fail(request.runId, fault.refusal);
    } catch (whileCleaning) {
      throw new WapError(
        fault.code,
        `${fault.message}; run ${request.runId} could not be marked as failed and stays as it is`,
        {
          cause: fault.cause ?? fault,
          whileCleaning,
        },
      );
    }
    throw fault;
  }
}
