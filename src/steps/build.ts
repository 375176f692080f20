// Step 3: build the isolated stage and seal it (specification 4).
import { targetOf } from "../domain/contract.ts";
import { runNames } from "../domain/identifier.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { BuildResult } from "../ports.ts";
import type { AuditDuties, AuditRequest } from "./request.ts";

export async function build(
  request: AuditRequest,
  { builder, log }: AuditDuties,
): Promise<Outcome<BuildResult>> {
  log.started("build");
  const names = runNames(targetOf(request.contract), request.runId);
  const built = await builder.build(request.runId, names, request.contract, request.transform);
  if (!built.ok) {
    log.finished("build", false, built.refusal.message, {});
    return built;
  }
  const left = Object.values(built.value.excluded).reduce((sum, rows) => sum + BigInt(rows), 0n);
  log.finished("build", true, `${built.value.stageRows} rows, ${left} records left out`, {
    rows: built.value.stageRows,
    excluded: `${left}`,
  });
  return built;
}
