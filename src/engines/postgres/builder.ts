// The builder's duty: land the delivery and build the stage through the doors of the control schema (specification 3 and 4).

import type { DeclaredAudit } from "../../domain/audits/declared.ts";
import type { Contract } from "../../domain/contract.ts";
import { durationMs } from "../../domain/duration.ts";
import {
  quoteIdentifier,
  quoteList,
  quoteQualified,
  type RunNames,
  runNames,
} from "../../domain/identifier.ts";
import { LandingFault } from "../../domain/landing.ts";
import type { Landing, RunManifest } from "../../domain/manifest.ts";
import { done, type Outcome, type Refusal, refuse } from "../../domain/outcome.ts";
import type { RunId } from "../../domain/run.ts";
import type { Builder, BuildResult, Progress, RecordReader, TransformText } from "../../ports.ts";
import { inTransaction, type Session } from "./connection.ts";
import { copyRecords } from "./copy-records.ts";
import { preflight } from "./preflight.ts";
import { asFault, sqlStateOf, throughDoor } from "./sql-errors.ts";
import { renderTransform } from "./sql-grammar.ts";
import { checkTransform } from "./transform-check.ts";
import { buildResultSchema, landingSchema } from "./wire.ts";

/** Data exceptions and constraint violations: the rows are at fault, not the server (PostgreSQL manual, appendix A). */
const isDataError = (error: unknown): boolean => /^(22|23)/.test(sqlStateOf(error) ?? "");
/** Syntax errors, unknown columns, wrong types: the statement is at fault. */
const isStatementError = (error: unknown): boolean => /^42(?!501)/.test(sqlStateOf(error) ?? "");

export function postgresBuilder(session: Session): Builder {
  return {
    capabilities: { strategies: ["view"], incremental: false, canAuthorizePublish: true },
    preflight: (contract, source) => preflight(session, contract, source),
    checkTransform: async (contract, text) => done(await checkTransform(session, contract, text)),
    startRun: (manifest, audits) => startRun(session, manifest, audits),
    land: (runId, names, reader, bytes, onProgress) => land(session, runId, names, reader, bytes, onProgress),
    build: (runId, names, contract, text) => build(session, runId, names, contract, text),
    fail: async (runId, reason) => failRun(session, runId, reason),
    cancel: session.cancel,
  };
}

/** Ends a run as failed with its reason. @throws WapError where the door refuses: a run that has ended stays as it is. */
export async function failRun(session: Session, runId: RunId, reason: Refusal): Promise<void> {
  try {
    await session.query("SELECT wap_admin.fail_run($1, $2, $3)", [runId, reason.code, reason.message]);
  } catch (error) {
    throw asFault(error, `recording that run ${runId} failed`);
  }
}

async function startRun(
  session: Session,
  manifest: RunManifest,
  audits: readonly DeclaredAudit[],
): Promise<Outcome<void>> {
  const names = runNames(manifest.target, manifest.runId);
  const row = {
    run_id: manifest.runId,
    source_ref: manifest.sourceRef,
    source_fingerprint: manifest.sourceFingerprint,
    target_schema: manifest.target.schema,
    target_relation: manifest.target.name,
    raw_relation: names.raw.name,
    rejects_relation: names.rejects.name,
    excluded_relation: names.excluded.name,
    stage_relation: names.stage.name,
    contract_path: manifest.contractPath,
    contract: manifest.contract,
    contract_hash: manifest.contractHash,
    transform_sql: manifest.transformSql,
    excluded_rows_sql: manifest.excludedRowsSql,
    transform_hash: manifest.transformHash,
    preflight_fingerprint: manifest.preflightFingerprint,
    control_fingerprint: manifest.controlFingerprint,
    provenance: manifest.provenance,
    preflight: manifest.preflight,
    plan: manifest.plan,
  };
  const declared = audits.map(({ name, clause, level, expectation }) => ({
    name,
    clause,
    level,
    expectation,
  }));
  return throughDoor("starting the run", async () => {
    await session.query("SELECT wap_admin.start_run($1::jsonb, $2::jsonb)", [
      JSON.stringify(row),
      JSON.stringify(declared),
    ]);
  });
}

async function land(
  session: Session,
  runId: RunId,
  names: RunNames,
  reader: RecordReader,
  bytes: bigint,
  onProgress: (progress: Progress) => void,
): Promise<Outcome<Landing>> {
  try {
    await session.query("SELECT wap_admin.open_raw($1, $2::text[])", [runId, reader.header]);
    const copied = await copyRecords(
      session.client,
      { table: quoteQualified(names.raw), columns: reader.header },
      { table: quoteQualified(names.rejects) },
      reader,
      Number(bytes),
      onProgress,
    );
    const { totals } = copied;
    const [row] = await session.query<{ landing: unknown }>(
      "SELECT wap_admin.seal_raw($1, $2::jsonb) AS landing",
      [
        runId,
        JSON.stringify({
          bytes: totals.bytes.toString(),
          sha256: totals.sha256,
          plainBytes: totals.plainBytes.toString(),
          parsed: totals.parsed.toString(),
          header: reader.header,
          parser: { ...reader.parser, blank_lines_skipped: totals.skipped.toString() },
        }),
      ],
    );
    return done(landingSchema.parse(row?.landing));
  } catch (error) {
    if (error instanceof LandingFault) return { ok: false, refusal: error.refusal };
    throw asFault(error, "landing");
  }
}

/**
 * Loads the transform into the stage, lists the excluded records, and seals both.
 * @returns `build_failed` where a row cannot be what the contract declares, `transform_invalid` where the statement itself is wrong.
 */
async function build(
  session: Session,
  runId: RunId,
  names: RunNames,
  contract: Contract,
  text: TransformText,
): Promise<Outcome<BuildResult>> {
  const source = quoteQualified(names.raw);
  const columns = contract.target_schema.map((column) => column.name);
  try {
    await session.query("SELECT wap_admin.open_stage($1)", [runId]);
    await inTransaction(session, "BEGIN ISOLATION LEVEL REPEATABLE READ", async () => {
      await session.query("SELECT set_config('statement_timeout', $1, true)", [
        `${contractTimeoutMs(contract)}`,
      ]);
      const select = await renderTransform(text.sql, { source });
      await session.query(
        `INSERT INTO ${quoteQualified(names.stage)} (${quoteList(columns)}) SELECT ${columns.map((name) => `made.${quoteIdentifier(name)}`).join(", ")} FROM (\n${select}\n) AS made`,
      );
      if (text.excluded !== null) {
        const excluded = await renderTransform(text.excluded.sql, { source });
        await session.query(
          `INSERT INTO ${quoteQualified(names.excluded)} (_src_row, reason) SELECT made._src_row, made.reason FROM (\n${excluded}\n) AS made`,
        );
      }
    });
    const [row] = await session.query<{ built: unknown }>("SELECT wap_admin.seal_stage($1) AS built", [
      runId,
    ]);
    return done(buildResultSchema.parse(row?.built));
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    if (isDataError(error))
      return refuse(
        "build_failed",
        `${text.path}: a row cannot become what the contract declares: ${message}`,
      );
    if (isStatementError(error)) return refuse("transform_invalid", `${text.path}: ${message}`);
    throw asFault(error, "building the stage");
  }
}

const contractTimeoutMs = (contract: Contract): number => durationMs(contract.promotion.statement_timeout);
