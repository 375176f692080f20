// The way back: the previous version, under the same discipline as a publish (specification: Handle failure and rollback).
import type { Publication } from "../domain/manifest.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { RunId } from "../domain/run.ts";
import type { PublishDuties } from "./publish.ts";

/** `runId` names the bad run; its rollback approval was recorded before. */
export async function rollback(
  runId: RunId,
  { publisher, log }: PublishDuties,
): Promise<Outcome<Publication>> {
  log.started("rollback");
  const restored = await publisher.rollback(runId);
  if (!restored.ok) {
    log.finished("rollback", false, restored.refusal.message, {});
    return restored;
  }
  log.finished("rollback", true, `readers see ${restored.value.backing} again`, {
    lock_held_ms: `${restored.value.lockHeldMs}`,
  });
  return restored;
}
