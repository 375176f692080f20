// Step 2: land the delivery as it came, every cell as text (specification 3).

import { targetOf } from "../domain/contract.ts";
import { runNames } from "../domain/identifier.ts";
import type { Landing } from "../domain/manifest.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { AuditDuties, AuditRequest } from "./request.ts";

export async function land(
  request: AuditRequest,
  deliveredBytes: bigint,
  { builder, log }: AuditDuties,
): Promise<Outcome<Landing>> {
  log.started("land");
  const opened = await request.source.open();
  const landed = opened.ok
    ? await builder.land(
        request.runId,
        runNames(targetOf(request.contract), request.runId),
        opened.value,
        deliveredBytes,
        (progress) => log.progress("land", progress),
      )
    : opened;
  if (!landed.ok) {
    log.finished("land", false, landed.refusal.message, {});
    return landed;
  }
  const { parsed, rejected, bytes } = landed.value;
  log.finished("land", true, `${parsed} records, ${rejected} rejected, ${bytes} bytes`, {
    records: parsed,
    rejected,
    bytes,
  });
  return landed;
}
