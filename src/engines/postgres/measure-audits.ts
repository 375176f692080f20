// Runs the measures of a run's audits in one read-only snapshot; one reading for each audit, whatever happens to it (specification 5).
import type pg from "pg";
import { ZodError } from "zod";
import type { Observed, Reading } from "../../domain/audits/check.ts";
import { SUBJECTS } from "../../domain/audits/check.ts";
import type { DeclaredAudit } from "../../domain/audits/declared.ts";
import { checkNamed } from "../../domain/audits/index.ts";
import { durationMs } from "../../domain/duration.ts";
import { sha256 } from "../../domain/fingerprint.ts";
import { measureOf } from "./measures/index.ts";
import { type MeasureContext, MeasureRefusal, measurementSchema } from "./measures/measure.ts";
import { sqlStateOf } from "./sql-errors.ts";

/**
 * Measures every audit. An audit that raises is a reading with verdict error, never a pass (safety E2); a connection that is gone is thrown.
 * Planning several audits into one scan belongs between this function and the measures.
 */
export async function measureAudits(client: pg.ClientBase, audits: readonly DeclaredAudit[], context: MeasureContext): Promise<readonly Reading[]> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    await client.query("SELECT set_config('search_path', 'pg_catalog, pg_temp', true), set_config('row_security', 'off', true), set_config('statement_timeout', $1, true)", [
      `${durationMs(context.contract.promotion.statement_timeout)}`,
    ]);
    const readings: Reading[] = [];
    for (const audit of audits) {
      await client.query("SAVEPOINT audit");
      const reading = await read(client, audit, context);
      await client.query(reading.observed.verdict === "error" ? "ROLLBACK TO SAVEPOINT audit" : "RELEASE SAVEPOINT audit");
      readings.push(reading);
    }
    return readings;
  } finally {
    // Nothing was written: there is nothing to keep. A connection that is gone has rolled back by itself.
    await client.query("ROLLBACK").catch(() => undefined);
  }
}

async function read(client: pg.ClientBase, audit: DeclaredAudit, context: MeasureContext): Promise<Reading> {
  const started = performance.now();
  const check = checkNamed(audit.assertion.check);
  const measure = measureOf(audit.assertion.check);
  const asked = audit.assertion["of"];
  const base = {
    check: audit.assertion.check,
    of: SUBJECTS.find((subject) => subject === asked) ?? (audit.assertion.check === "parses" ? "raw" : "staged"),
    baseline: null,
    clock: clockOf(audit, context),
  } as const;
  let sqlSha256: string | null = null;
  try {
    if (check === undefined || measure === undefined) throw new MeasureRefusal(`there is no check ${audit.assertion.check}`);
    const query = await measure(audit.assertion, context);
    sqlSha256 = sha256(query.sql);
    const { rows } = await client.query(query.sql, [...query.values]);
    const measurement = measurementSchema.parse(rows[0] ?? {});
    const judgement = check.judge(audit.assertion, measurement);
    return reading(audit, {
      ...base,
      ...judgement,
      measured: measurement.measured,
      violations: measurement.violations,
      rows_tested: measurement.rowsTested,
      null_count: measurement.nullCount,
      non_finite_count: measurement.nonFiniteCount,
      groups_missing: measurement.groupsMissing,
      sample: measurement.sample,
      sql_sha256: sqlSha256,
      ms: Math.round(performance.now() - started),
      error: null,
    });
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === null) throw error;
    return reading(audit, {
      ...base,
      verdict: "error",
      finding: `could not be measured: ${sentence}`,
      measured: {},
      expected: {},
      violations: null,
      rows_tested: null,
      null_count: null,
      non_finite_count: null,
      groups_missing: null,
      sample: null,
      sql_sha256: sqlSha256,
      ms: Math.round(performance.now() - started),
      error: sentence,
    });
  }
}

const reading = (audit: DeclaredAudit, observed: Observed): Reading => ({
  name: audit.name,
  clause: audit.clause,
  level: audit.level,
  expectation: audit.expectation,
  passed: observed.verdict === "pass",
  observed,
});

/** Data errors name a cell in their message; what they were about is said without it. */
function sentenceOf(error: unknown): string | null {
  if (error instanceof MeasureRefusal) return error.message;
  if (error instanceof ZodError) return `the assertion or its measurement has not the expected form: ${error.issues[0]?.message ?? ""}`;
  const state = sqlStateOf(error);
  // 57P and 08: the server or the connection went away; that is a fault of the run, not a reading.
  if (state === null || !(error instanceof Error) || /^(57P|08)/.test(state)) return null;
  return /^22/.test(state) ? `SQLSTATE ${state} (a value cannot be computed)` : `SQLSTATE ${state}: ${error.message}`;
}

function clockOf(audit: DeclaredAudit, { clocks }: MeasureContext): string | null {
  if (audit.assertion.check !== "max_age" && audit.assertion.check !== "no_future") return null;
  return audit.assertion["clock"] === "as_of" ? clocks.as_of : clocks.run_start;
}
