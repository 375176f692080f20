// Step 5: the gate, in the database, before anybody is asked to approve (specification 6).
import { type Outcome, refuse } from "../domain/outcome.ts";
import type { RunStatus } from "../domain/run.ts";
import type { AuditDuties, AuditRequest } from "./request.ts";

/** Fingerprints the stage and runs `assert_gate(run, false)`; `audited`, or a refusal with the gate's own words. */
export async function gate(
  request: AuditRequest,
  { auditor, reader, log }: AuditDuties,
): Promise<Outcome<RunStatus>> {
  log.started("gate");
  const asked = await auditor.gate(request.runId);
  if (!asked.ok) {
    log.finished("gate", false, asked.refusal.message, {});
    return asked;
  }
  if (asked.value === "audited") {
    log.finished("gate", true, "open for approval", {});
    return asked;
  }
  const ended = (await reader.run(request.runId))?.transitions.at(-1);
  const sentence = ended?.detail ?? "the gate rejected the run";
  log.finished("gate", false, sentence, {});
  return refuse(ended?.reason ?? "gate_rejected", sentence);
}
