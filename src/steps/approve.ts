// Step 6: record that one identified person approved exactly this run (specification 7).
import { bindingOf } from "../domain/binding.ts";
import type { Approval } from "../domain/manifest.ts";
import { type Outcome, refuse } from "../domain/outcome.ts";
import type { RunId } from "../domain/run.ts";
import type { ApprovalRequest, Approver, ControlReader, Log } from "../ports.ts";

export interface ApproveDuties {
  readonly approver: Approver;
  readonly reader: ControlReader;
  readonly log: Log;
}

/** Who approves, on what ground; the hashes are bound from the manifest that the approver was shown. */
export type ApprovalBy = Pick<ApprovalRequest, "kind" | "by" | "ref" | "facts">;

export async function approve(
  runId: RunId,
  approval: ApprovalBy,
  { approver, reader, log }: ApproveDuties,
): Promise<Outcome<Approval>> {
  log.started("approve");
  const run = await reader.run(runId);
  if (run === null) return refuse("run_unknown", `there is no run ${runId}`);
  const bound = bindingOf(run);
  if (bound === null)
    return refuse(
      "not_audited",
      `run ${runId} is ${run.status}: it has no audited stage that could be approved`,
    );
  const approved = await approver.approve(runId, { ...approval, bound });
  if (approved.ok) log.finished("approve", true, `${approval.by}, ${approval.ref}`, { by: approval.by });
  else log.finished("approve", false, approved.refusal.message, {});
  return approved;
}
