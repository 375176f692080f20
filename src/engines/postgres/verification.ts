// Verification after commit: what readers see now, in a new transaction and as the consumer role (specification 8).
import { z } from "zod";
import { parseCanonicalContract } from "../../domain/contract.ts";
import { WapError } from "../../domain/errors.ts";
import { quoteIdentifier, quoteQualified } from "../../domain/identifier.ts";
import type { VerificationCheck } from "../../domain/manifest.ts";
import { columnDifference } from "../../domain/promotion.ts";
import type { RunId } from "../../domain/run.ts";
import { SQL } from "../../generated/sql.ts";
import { inTransaction, type Session } from "./connection.ts";
import { contentQuery } from "./content-query.ts";
import { asFault, sqlStateOf } from "./sql-errors.ts";

const row = z.object({
  kind: z.enum(["publish", "rollback"]),
  target_name: z.string(),
  backing_name: z.string(),
  visible_run: z.string(),
  run_status: z.string(),
  stage_rows: z.string(),
  stage_fingerprint: z.string(),
  target_schema: z.string(),
  target_relation: z.string(),
  consumer_role: z.string(),
  contract: z.string(),
  current_run: z.string().nullable(),
  same_relation: z.boolean(),
  shows_version: z.boolean(),
  same_state: z.boolean().nullable(),
  previous_name: z.string().nullable(),
  previous_kept: z.boolean(),
  columns: z.array(z.object({ name: z.string(), type: z.string(), collation: z.string().nullable() })),
});
type Row = z.infer<typeof row>;

/** Looks, records what it saw, and returns it. A check that could not be made is a failed check, with the reason as observed. */
export async function verifyPublished(session: Session, runId: RunId): Promise<readonly VerificationCheck[]> {
  try {
    const found = await inTransaction(session, "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY", async () => {
      const [first] = await session.query(SQL["engines/postgres/queries/verification.sql"], [runId]);
      if (first === undefined) throw new WapError("not_approved", `run ${runId} was never published`);
      return row.parse(first);
    });
    const checks = [...structuralChecks(found), ...(await consumerChecks(session, found))];
    await session.query("SELECT wap_admin.record_verification($1, $2::jsonb)", [
      runId,
      JSON.stringify(checks),
    ]);
    return checks;
  } catch (error) {
    throw asFault(error, "verifying");
  }
}

function structuralChecks(found: Row): VerificationCheck[] {
  const difference = columnDifference(found.columns, parseCanonicalContract(found.contract).target_schema);
  const ended = found.kind === "publish" ? "published" : "rolled_back";
  return [
    {
      name: "version",
      passed: found.same_relation && found.shows_version && found.current_run === found.visible_run,
      observed:
        found.current_run === found.visible_run
          ? found.same_relation && found.shows_version
            ? `${found.target_name} shows ${found.backing_name}`
            : `${found.target_name} does not show exactly ${found.backing_name}`
          : `another run, ${found.current_run ?? "none"}, was promoted since`,
    },
    {
      name: "columns",
      passed: difference === null,
      observed: difference ?? `${found.columns.length} columns as in the contract`,
    },
    {
      name: "owner, grants, options, comments",
      passed: found.same_state === true,
      observed: found.same_state === true ? "equal to the publication's" : "not equal to the publication's",
    },
    { name: "manifest", passed: found.run_status === ended, observed: `the run is ${found.run_status}` },
    {
      name: "previous version",
      passed: found.previous_kept,
      observed:
        found.previous_name === null
          ? "none: this is the first version"
          : found.previous_kept
            ? `${found.previous_name} is kept`
            : `${found.previous_name} is gone`,
    },
  ];
}

async function consumerChecks(session: Session, found: Row): Promise<VerificationCheck[]> {
  const target = quoteQualified({ schema: found.target_schema, name: found.target_relation });
  const as = `as ${found.consumer_role}`;
  try {
    return await inTransaction(session, "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY", async () => {
      await session.client.query(`SET LOCAL ROLE ${quoteIdentifier(found.consumer_role)}`);
      await session.query("SELECT set_config('statement_timeout', '10min', true)");
      const [seen] = await session.query<{ rows: string; fingerprint: string }>(
        contentQuery(target, found.stage_fingerprint),
      );
      return [
        {
          name: `rows ${as}`,
          passed: seen?.rows === found.stage_rows,
          observed: `${seen?.rows ?? "no answer"} rows, ${found.stage_rows} audited`,
        },
        {
          name: `content ${as}`,
          passed: seen?.fingerprint === found.stage_fingerprint,
          observed:
            seen?.fingerprint === found.stage_fingerprint
              ? "equal to what was audited"
              : "not equal to what was audited",
        },
      ];
    });
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === null) throw error;
    return [{ name: `read ${as}`, passed: false, observed: `the read failed with SQLSTATE ${state}` }];
  }
}
