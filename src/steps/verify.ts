// Step 8: look at what readers see now, as they see it (specification 8).
import type { VerificationCheck } from "../domain/manifest.ts";
import { done, type Outcome, refuse } from "../domain/outcome.ts";
import type { RunId } from "../domain/run.ts";
import type { PublishDuties } from "./publish.ts";

export async function verify(
  runId: RunId,
  { publisher, log }: PublishDuties,
): Promise<Outcome<readonly VerificationCheck[]>> {
  log.started("verify");
  const checks = await publisher.verify(runId);
  const wrong = checks.filter((check) => !check.passed);
  if (wrong.length > 0) {
    const sentence = wrong.map((check) => `${check.name}: ${check.observed}`).join("; ");
    log.finished("verify", false, sentence, {});
    return refuse("verification_failed", sentence);
  }
  log.finished("verify", true, `${checks.length} checks: ${checks.map((check) => check.name).join(", ")}`, {
    checks: `${checks.length}`,
  });
  return done(checks);
}
