// The publisher's duty: one guarded transaction, then verification in another as the consumer role (specification 7 and 8).
import { WapError } from "../../domain/errors.ts";
import { quoteIdentifier, quoteQualified } from "../../domain/identifier.ts";
import type { Publication } from "../../domain/manifest.ts";
import { done, type Outcome, refuse } from "../../domain/outcome.ts";
import type { RunId } from "../../domain/run.ts";
import type { Publisher } from "../../ports.ts";
import { failRun } from "./builder.ts";
import type { Session } from "./connection.ts";
import { publicationsOf } from "./control-reader.ts";
import { verifyControlSchema } from "./control-schema.ts";
import { type PromotionBasis, promotionBasis } from "./promotion-basis.ts";
import { asFault, doorRefusal, throughDoor } from "./sql-errors.ts";
import { verifyPublished } from "./verification.ts";

export const postgresPublisher = (
  session: Session,
  reconnect: <T>(use: (session: Session) => Promise<T>) => Promise<T>,
): Publisher => ({
  publish: (runId) => orFault("publishing", promote(session, reconnect, runId, "publish")),
  rollback: (runId) => orFault("rolling back", promote(session, reconnect, runId, "rollback")),
  verify: (runId) => verifyPublished(session, runId),
  fail: (runId, reason) => failRun(session, runId, reason),
  cancel: session.cancel,
});

/** Whatever the driver throws on the way, as a fault with a reason code. */
const orFault = <T>(doing: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw asFault(error, doing);
  });

const DOORS = { publish: "wap_admin.publish", rollback: "wap_admin.roll_back" } as const;

/**
 * Runs the door, reads one row as the consumer role, and commits: one message to the server, so that no round trip of ours lies
 * inside the window in which readers may wait (trap 101). Exactly READ COMMITTED (trap 088).
 */
async function promote(
  session: Session,
  reconnect: <T>(use: (session: Session) => Promise<T>) => Promise<T>,
  runId: RunId,
  kind: Publication["kind"],
): Promise<Outcome<Publication>> {
  const control = await verifyControlSchema(session);
  if (!control.ok) return control;
  const basis = await promotionBasis(session, runId);
  if (basis === null) return refuse("run_unknown", `there is no run ${runId}`);
  const before = await publicationOf(session, runId, kind);
  if (before !== null) return done(before);

  const outcome = await throughDoor(kind === "publish" ? "publishing" : "rolling back", () =>
    guardedTransaction(session, runId, kind, basis),
  ).catch((error: unknown) => afterLostAnswer(error, reconnect, runId, kind));
  if (!outcome.ok) return outcome;
  // It is committed: a connection that breaks now must not make a published run look like a failed one.
  const after =
    outcome.value ??
    (await publicationOf(session, runId, kind).catch(() =>
      reconnect((again) => publicationOf(again, runId, kind)),
    ));
  if (after === null)
    throw new WapError("internal", `run ${runId} was committed but its publication is not recorded`);
  return done(after);
}

async function guardedTransaction(
  session: Session,
  runId: RunId,
  kind: Publication["kind"],
  basis: PromotionBasis,
): Promise<Publication | null> {
  const { client } = session;
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
  try {
    await session.query(
      `SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true),
              set_config('idle_in_transaction_session_timeout', '10s', true), set_config('wap.run_id', $3, true)`,
      [`${basis.lockTimeoutMs}`, `${basis.statementTimeoutMs}`, runId],
    );
    await client.query(
      [
        `SELECT ${DOORS[kind]}(current_setting('wap.run_id')::uuid)`,
        `SET LOCAL ROLE ${quoteIdentifier(basis.consumerRole)}`,
        `SELECT 1 FROM (SELECT * FROM ${quoteQualified(basis.target)} LIMIT 1) AS one_row`,
        "RESET ROLE",
        "COMMIT",
      ].join("; "),
    );
    return null;
  } catch (error) {
    // The transaction is aborted or its connection is gone; either way nothing of it stays unless COMMIT had been reached.
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/**
 * The connection broke: COMMIT may or may not have happened. The control tables tell, under the target's lock; COMMIT is never repeated
 * (safety R3; case O35).
 */
async function afterLostAnswer(
  error: unknown,
  reconnect: <T>(use: (session: Session) => Promise<T>) => Promise<T>,
  runId: RunId,
  kind: Publication["kind"],
): Promise<Outcome<Publication | null>> {
  const fault = asFault(error, "promoting");
  if (fault.code !== "connection_failed" || doorRefusal(error) !== null) throw fault;
  const found = await reconnect(async (session) => {
    // A backend that is still ending holds the lock until its transaction is decided.
    await session.query(
      "SELECT pg_advisory_xact_lock(hashtextextended(r.target_name, 0)) FROM wap_admin.runs r WHERE r.run_id = $1",
      [runId],
    );
    return publicationOf(session, runId, kind);
  }).catch(() => null);
  if (found !== null) return done(found);
  throw fault;
}

const publicationOf = async (
  session: Session,
  runId: RunId,
  kind: Publication["kind"],
): Promise<Publication | null> =>
  (await publicationsOf(session, runId)).find((publication) => publication.kind === kind) ?? null;
