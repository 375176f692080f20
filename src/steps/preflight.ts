// Step 1: look before anything is created (specification 1).
import { done, type Outcome, refuse } from "../domain/outcome.ts";
import type { Preflight } from "../ports.ts";
import type { AuditDuties, AuditRequest } from "./request.ts";

export interface Begun {
  readonly preflight: Preflight;
  readonly source: { readonly bytes: bigint; readonly sha256: string };
}

/** Read-only: the run id is free, the delivery is there, the database and the target are what they should be, the SQL is one SELECT. */
export async function preflight(
  request: AuditRequest,
  { builder, reader, log }: AuditDuties,
): Promise<Outcome<Begun>> {
  log.started("preflight");
  const source = await request.source.identify();
  const found = await builder.preflight(request.contract, { ref: request.source.ref, bytes: source.bytes });
  if (!found.ok) {
    log.finished("preflight", false, found.refusal.message, {});
    return found;
  }
  const { database, target } = found.value.report;
  log.note(
    `database ${database.name} at ${database.address}, PostgreSQL ${database.version}; source ${request.source.ref}; target ${target.name}: ` +
      (target.exists ? `${target.kind} of ${target.owner}, ${target.rowCount} rows` : "does not exist yet"),
  );
  const existing = await reader.run(request.runId);
  if (existing !== null)
    return refuse(
      "run_exists",
      `run ${request.runId} exists: it is ${existing.status} since ${existing.transitions.at(-1)?.at}`,
    );
  const checked = await builder.checkTransform(request.contract, request.transform);
  if (!checked.ok) return checked;
  log.finished("preflight", true, `${target.properties} properties, strategy: ${found.value.plan.strategy}`, {
    properties: `${target.properties}`,
    strategy: found.value.plan.strategy,
  });
  return done({ preflight: found.value, source });
}
