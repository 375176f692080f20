// What the publisher needs of a run before it opens the guarded transaction; all of it from the manifest.
import { z } from "zod";
import type { QualifiedName } from "../../domain/identifier.ts";
import type { RunId } from "../../domain/run.ts";
import type { Session } from "./connection.ts";

export interface PromotionBasis {
  readonly target: QualifiedName;
  readonly consumerRole: string;
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

const row = z.object({
  target_schema: z.string(),
  target_relation: z.string(),
  consumer_role: z.string(),
  plan: z.object({
    lockTimeoutMs: z.number().int().positive(),
    statementTimeoutMs: z.number().int().positive(),
  }),
});

export async function promotionBasis(session: Session, runId: RunId): Promise<PromotionBasis | null> {
  const [found] = await session.query(
    "SELECT m.target_schema, m.target_relation, m.consumer_role, m.plan FROM wap_admin.manifests m WHERE m.run_id = $1",
    [runId],
  );
  if (found === undefined) return null;
  const basis = row.parse(found);
  return {
    target: { schema: basis.target_schema, name: basis.target_relation },
    consumerRole: basis.consumer_role,
    lockTimeoutMs: basis.plan.lockTimeoutMs,
    statementTimeoutMs: basis.plan.statementTimeoutMs,
  };
}
