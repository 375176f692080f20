// Preflight: read-only, before anything is created: what we are connected to, what the target is, and which promotion is safe.
import { z } from "zod";
import type { Contract } from "../../domain/contract.ts";
import { targetOf } from "../../domain/contract.ts";
import { displayName, quoteQualified } from "../../domain/identifier.ts";
import type { PreflightReport } from "../../domain/manifest.ts";
import { done, type Outcome, refuse } from "../../domain/outcome.ts";
import { choosePromotion, type TargetFacts } from "../../domain/promotion.ts";
import { parseRunId } from "../../domain/run.ts";
import { SQL } from "../../generated/sql.ts";
import type { Preflight } from "../../ports.ts";
import { inTransaction, type Session } from "./connection.ts";
import { verifyControlSchema } from "./control-schema.ts";
import { asFault } from "./sql-errors.ts";

const OLDEST = 140_000;
const NEWEST = 190_000;

const identityRow = z.object({
  database: z.string(),
  version: z.string(),
  version_number: z.number(),
  login: z.string(),
  address: z.string(),
  standby: z.boolean(),
  read_only: z.boolean(),
  tls: z.boolean(),
  system_identifier: z.string().nullable(),
});

const names = z.array(z.string());
const factsRow = z.object({
  schema_exists: z.boolean(),
  schema_open: z.boolean(),
  consumer_exists: z.boolean(),
  consumer_reachable: z.boolean(),
  consumer_may_use_schema: z.boolean(),
  event_triggers: names,
  oid: z.string().nullable(),
  kind: z.string().nullable(),
  owner: z.string().nullable(),
  owner_reachable: z.boolean().nullable(),
  last_version: z.string().nullable(),
  shows_last_version: z.boolean(),
  current_run: z.string().nullable(),
  columns: z.array(z.object({ name: z.string(), type: z.string(), collation: z.string().nullable() })),
  options: names,
  rules: names,
  triggers: names,
  writers: names,
  dependents: names,
  properties: z.number(),
  fingerprint: z.string(),
  readable: z.boolean(),
});
type FactsRow = z.infer<typeof factsRow>;

/** The server that a session is connected to; refuses versions that are not supported and servers that cannot be written. */
export async function identify(session: Session): Promise<Outcome<PreflightReport["database"]>> {
  const [row] = await session.query(SQL["engines/postgres/queries/identity.sql"]);
  const found = identityRow.parse(row);
  if (found.version_number < OLDEST || found.version_number >= NEWEST) {
    return refuse("engine_unsupported", `PostgreSQL ${found.version} at ${found.address} is not supported`);
  }
  if (found.standby || found.read_only) {
    return refuse(
      "read_only_server",
      `${found.database} at ${found.address} is a read-only server: a standby cannot build or publish`,
    );
  }
  return done({
    name: found.database,
    systemIdentifier: found.system_identifier,
    address: found.address,
    engine: "postgres",
    version: found.version.split(" ")[0] ?? found.version,
    versionNumber: found.version_number,
    login: found.login,
    tls: found.tls,
  });
}

/**
 * Specification 1, read-only in one REPEATABLE READ transaction.
 * @returns the report, fingerprints and plan, or the refusal that says why nothing was begun.
 */
export async function preflight(
  session: Session,
  contract: Contract,
  source: { ref: string; bytes: bigint },
): Promise<Outcome<Preflight>> {
  try {
    const database = await identify(session);
    if (!database.ok) return database;
    return await inTransaction(session, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", async () => {
      const control = await verifyControlSchema(session);
      if (!control.ok) return control;
      const target = targetOf(contract);
      const [row] = await session.query(SQL["engines/postgres/queries/target-facts.sql"], [
        target.schema,
        target.name,
        contract.database.consumer_role,
      ]);
      const found = factsRow.parse(row);
      const plan = choosePromotion(factsOf(target, found), contract);
      if (!plan.ok) return plan;
      const rowCount = found.readable ? await countRows(session, quoteQualified(target)) : null;
      if (found.oid !== null && rowCount === null) {
        return refuse(
          "membership_missing",
          `login ${database.value.login} may not read ${displayName(target)}, and preflight has to count its rows`,
          `GRANT SELECT ON ${quoteQualified(target)} TO wap_builder, wap_auditor;`,
        );
      }
      const report: PreflightReport = {
        database: database.value,
        source: { ref: source.ref, bytes: source.bytes.toString() },
        target: {
          name: displayName(target),
          exists: found.oid !== null,
          oid: found.oid,
          kind: found.kind,
          owner: found.owner,
          rowCount,
          currentRun: found.current_run === null ? null : parseRunId(found.current_run),
          properties: found.properties,
          dependents: found.dependents,
        },
      };
      return done({
        report,
        preflightFingerprint: found.fingerprint,
        controlFingerprint: control.value,
        plan: plan.value,
        baseRun: report.target.currentRun,
      });
    });
  } catch (error) {
    throw asFault(error, "preflight");
  }
}

async function countRows(session: Session, relation: string): Promise<string | null> {
  const [row] = await session.query<{ n: string }>(`SELECT count(*) AS n FROM ${relation}`);
  return row?.n ?? null;
}

function factsOf(target: TargetFacts["target"], row: FactsRow): TargetFacts {
  return {
    target,
    schemaExists: row.schema_exists,
    schemaOpen: row.schema_open,
    consumerRoleExists: row.consumer_exists,
    consumerRoleReachable: row.consumer_reachable,
    consumerMayUseSchema: row.consumer_may_use_schema,
    eventTriggers: row.event_triggers,
    existing:
      row.oid === null
        ? null
        : {
            kind: row.kind ?? "relation",
            owner: row.owner ?? "",
            ownerReachable: row.owner_reachable ?? false,
            currentVersion: row.shows_last_version ? row.last_version : null,
            columns: row.columns,
            options: row.options,
            rules: row.rules,
            triggers: row.triggers,
            writers: row.writers,
            dependents: row.dependents,
          },
  };
}
