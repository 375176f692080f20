// Step 7: promote inside one guarded transaction (specification 7).
import type { Publication } from "../domain/manifest.ts";
import type { Outcome, ReasonCode } from "../domain/outcome.ts";
import type { RunId } from "../domain/run.ts";
import type { Log, Publisher } from "../ports.ts";

export interface PublishDuties {
  readonly publisher: Publisher;
  readonly log: Log;
}

/** Refusals after which the approved bytes can never go live: the run ends as failed (product: exit codes). */
const ENDS_THE_RUN: ReadonlySet<ReasonCode> = new Set([
  "target_drift",
  "stale_base",
  "stage_changed",
  "binding_mismatch",
  "gate_rejected",
]);

export async function publish(
  runId: RunId,
  { publisher, log }: PublishDuties,
): Promise<Outcome<Publication>> {
  log.started("publish");
  const promoted = await publisher.publish(runId);
  if (!promoted.ok) {
    if (ENDS_THE_RUN.has(promoted.refusal.code)) await publisher.fail(runId, promoted.refusal);
    log.finished("publish", false, promoted.refusal.message, {});
    return promoted;
  }
  const { backing, lockHeldMs, tries } = promoted.value;
  log.finished("publish", true, `readers see ${backing}; they waited at most ${lockHeldMs} ms`, {
    lock_held_ms: `${lockHeldMs}`,
    tries: `${tries}`,
  });
  return promoted;
}
