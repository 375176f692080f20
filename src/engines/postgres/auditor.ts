// The auditor's duty: measure the sealed stage, record one reading an expected audit, and ask the gate (specification 5 and 6).
import { z } from "zod";
import { STATUSES } from "../../domain/run.ts";
import type { Auditor } from "../../ports.ts";
import { measureChanges } from "./changes.ts";
import type { Session } from "./connection.ts";
import { measureAudits } from "./measure-audits.ts";
import { measureContextOf } from "./measure-context.ts";
import { asFault, throughDoor } from "./sql-errors.ts";

const gateRow = z.object({ status: z.enum(STATUSES) });

/** `readFile` gives the bytes of a file of the repository that a contract names (keys of exclusions, custom audits). */
export const postgresAuditor = (
  session: Session,
  readFile: (path: string) => Promise<Uint8Array>,
): Auditor => ({
  measure: async (runId, names, contract, audits) => {
    try {
      return await measureAudits(
        session.client,
        audits,
        await measureContextOf(session, readFile, runId, names, contract),
      );
    } catch (error) {
      throw asFault(error, "auditing");
    }
  },
  changes: async (runId, contract) => {
    try {
      return await measureChanges(session, runId, contract);
    } catch (error) {
      throw asFault(error, "comparing with the published version");
    }
  },
  record: async (runId, readings, changes) => {
    const gating = readings.filter((reading) => reading.level === "gate");
    const advisory = readings.filter((reading) => reading.level === "advisory");
    try {
      await session.query("SELECT wap_admin.record_readings($1, $2::jsonb, $3::jsonb, $4::jsonb)", [
        runId,
        JSON.stringify(gating),
        JSON.stringify(advisory),
        changes === null ? null : JSON.stringify(changes),
      ]);
    } catch (error) {
      throw asFault(error, "recording the readings");
    }
  },
  gate: (runId) =>
    throughDoor("asking the gate", async () => {
      const [row] = await session.query("SELECT wap_admin.finish_audit($1) AS status", [runId]);
      return gateRow.parse(row).status;
    }),
});
