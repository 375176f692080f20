// The approver's duty: record one approval, bound to every hash that was shown (specification 7; safety A2).
import { WapError } from "../../domain/errors.ts";
import type { Approval } from "../../domain/manifest.ts";
import type { RunId } from "../../domain/run.ts";
import type { ApprovalRequest, Approver } from "../../ports.ts";
import type { Session } from "./connection.ts";
import { approvalsOf } from "./control-reader.ts";
import { throughDoor } from "./sql-errors.ts";

export const postgresApprover = (session: Session): Approver => ({
  approve: (runId: RunId, request: ApprovalRequest) =>
    throughDoor("recording the approval", async (): Promise<Approval> => {
      await session.query("SELECT wap_admin.approve($1, $2, $3, $4, $5::jsonb, $6::jsonb)", [
        runId,
        request.kind,
        request.by,
        request.ref,
        JSON.stringify(request.bound),
        JSON.stringify(request.facts),
      ]);
      const recorded = (await approvalsOf(session, runId)).find((approval) => approval.kind === request.kind);
      if (recorded === undefined)
        throw new WapError("internal", `the approval of run ${runId} is not where it was recorded`);
      return recorded;
    }),
});
