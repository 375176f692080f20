// Step 4: every declared audit, one reading each (specification 5).

import type { Reading } from "../domain/audits/check.ts";
import { declaredAudits } from "../domain/audits/plan.ts";
import { targetOf } from "../domain/contract.ts";
import { runNames } from "../domain/identifier.ts";
import type { AuditDuties, AuditRequest } from "./request.ts";

/** Measures and records. A failed audit is a reading like any other; the gate decides. */
export async function audit(
  request: AuditRequest,
  { auditor, log }: AuditDuties,
): Promise<readonly Reading[]> {
  log.started("audit");
  const names = runNames(targetOf(request.contract), request.runId);
  const readings = await auditor.measure(
    request.runId,
    names,
    request.contract,
    declaredAudits(request.contract),
  );
  const changes = await auditor.changes(request.runId, request.contract);
  await auditor.record(request.runId, readings, changes);
  const gating = readings.filter((reading) => reading.level === "gate");
  const passed = gating.filter((reading) => reading.passed).length;
  log.finished("audit", passed === gating.length, `${passed} of ${gating.length} pass`, {
    passed: `${passed}`,
    of: `${gating.length}`,
  });
  return readings;
}
