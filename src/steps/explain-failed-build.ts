// After a build that failed on the delivery's rows: the audits of the raw snapshot still say which rows, and why.
import type { Reading } from "../domain/audits/check.ts";
import type { DeclaredAudit } from "../domain/audits/declared.ts";
import { declaredAudits } from "../domain/audits/plan.ts";
import { targetOf } from "../domain/contract.ts";
import { runNames } from "../domain/identifier.ts";
import type { Refusal } from "../domain/outcome.ts";
import type { AuditDuties, AuditRequest } from "./request.ts";

/** True where an audit needs nothing but the raw snapshot and its counts. */
export function readsOnlyRaw({ assertion }: DeclaredAudit): boolean {
  if (assertion.check === "parses" || assertion["of"] === "raw") return true;
  if (assertion.check !== "equation") return false;
  const right = assertion["right"];
  const terms = [assertion["left"], ...(Array.isArray(right) ? right : [])];
  return terms.every((term) => term === "parsed" || term === "landed" || term === "rejected");
}

/** Readings of a failed run are evidence only: nothing leads from failed to published. Audits of the stage get none. */
export async function explainFailedBuild(
  request: AuditRequest,
  { auditor }: AuditDuties,
  refusal: Refusal,
): Promise<readonly Reading[]> {
  if (refusal.code !== "build_failed") return [];
  const names = runNames(targetOf(request.contract), request.runId);
  const readings = await auditor.measure(
    request.runId,
    names,
    request.contract,
    declaredAudits(request.contract).filter(readsOnlyRaw),
  );
  await auditor.record(request.runId, readings, null);
  return readings;
}
