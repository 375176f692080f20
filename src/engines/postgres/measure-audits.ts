// Runs the measures of a run's audits in one read-only snapshot; one reading for each audit, whatever happens to it (specification 5).
import type pg from "pg";
import { z } from "zod";
import { type Observed, type Reading, SUBJECTS } from "../../domain/audits/check.ts";
import type { DeclaredAudit } from "../../domain/audits/declared.ts";
import { unheededKey } from "../../domain/audits/define-check.ts";
import { checkNamed } from "../../domain/audits/index.ts";
import { durationMs } from "../../domain/duration.ts";
import { sha256 } from "../../domain/fingerprint.ts";
import { measureOf } from "./measures/index.ts";
import {
  type MeasureContext,
  type MeasureQuery,
  MeasureRefusal,
  type MeasureScope,
  measurementSchema,
} from "./measures/measure.ts";
import { sqlStateOf } from "./sql-errors.ts";

/** What a measure's answer depends on besides the data (design: postgres, decision 6). */
const PINNED = {
  search_path: "pg_catalog, pg_temp",
  row_security: "off",
  TimeZone: "UTC",
  DateStyle: "ISO, YMD",
  IntervalStyle: "postgres",
  extra_float_digits: "1",
  bytea_output: "hex",
} as const;

type Assertion = DeclaredAudit["assertion"];

/**
 * Measures every audit. An audit that raises is a reading with verdict error, never a pass (safety E2); a connection that is
 * gone, or a statement that someone cancelled, is thrown. Planning several audits into one scan belongs between this function
 * and the measures.
 */
export async function measureAudits(
  client: pg.ClientBase,
  audits: readonly DeclaredAudit[],
  context: MeasureContext,
): Promise<readonly Reading[]> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    const timeout = durationMs(context.contract.promotion.statement_timeout);
    const pinned = { ...PINNED, statement_timeout: `${timeout}` };
    await client.query(
      "SELECT pg_catalog.set_config(n, v, true) FROM ROWS FROM (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) AS pinned (n, v)",
      [Object.keys(pinned), Object.values(pinned)],
    );
    const scope: MeasureScope = { ...context, volatileFunctions: await volatileFunctions(client) };
    const readings: Reading[] = [];
    for (const audit of audits) {
      await client.query("SAVEPOINT audit");
      const reading = await read(client, audit, scope, timeout);
      await client.query("ROLLBACK TO SAVEPOINT audit; RELEASE SAVEPOINT audit");
      readings.push(reading);
    }
    return readings;
  } finally {
    // Nothing was written: there is nothing to keep. A connection that is gone has rolled back by itself.
    await client.query("ROLLBACK").catch(() => undefined);
  }
}

const named = z.array(z.object({ name: z.string() }));

async function volatileFunctions(client: pg.ClientBase): Promise<ReadonlySet<string>> {
  const { rows } = await client.query(
    "SELECT DISTINCT proname::text AS name FROM pg_catalog.pg_proc WHERE provolatile = 'v'",
  );
  return new Set(named.parse(rows).map(({ name }) => name));
}

async function read(
  client: pg.ClientBase,
  audit: DeclaredAudit,
  scope: MeasureScope,
  timeout: number,
): Promise<Reading> {
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  const base = emptyObserved(audit, scope);
  let query: MeasureQuery | null = null;
  try {
    query = await queryOf(audit.assertion, scope);
    const { rows } = await client.query(query.sql, [...query.values]);
    const measurement = measurementSchema.parse(rows[0]);
    const judgement = checkNamed(audit.assertion.check)?.judge(audit.assertion, measurement);
    if (judgement === undefined) throw new MeasureRefusal(`there is no check ${audit.assertion.check}`);
    return readingOf(audit, {
      ...base,
      ...judgement,
      measured: measurement.measured,
      violations: measurement.violations,
      rows_tested: measurement.rowsTested,
      null_count: measurement.nullCount,
      non_finite_count: measurement.nonFiniteCount,
      groups_missing: measurement.groupsMissing,
      sample: measurement.sample,
      sql_sha256: sha256(query.sql),
      ms: elapsed(),
    });
  } catch (error) {
    const sentence = sentenceOf(error, timeout > 0 && elapsed() >= timeout);
    if (sentence === null) throw error;
    return readingOf(audit, {
      ...base,
      verdict: "error",
      finding: `could not be measured: ${sentence}`,
      error: sentence,
      sql_sha256: query === null ? null : sha256(query.sql),
      ms: elapsed(),
    });
  }
}

/** @throws MeasureRefusal where the assertion, or what a quirk expects, cannot be measured as it is written. */
async function queryOf(assertion: Assertion, scope: MeasureScope): Promise<MeasureQuery> {
  for (const one of [assertion, innerOf(assertion)]) {
    const check = checkNamed(one.check);
    if (check === undefined) throw new MeasureRefusal(`there is no check ${one.check}`);
    const unheeded = unheededKey(check, one);
    if (unheeded !== null) throw new MeasureRefusal(`${one.check} has no use for \`${unheeded}\``);
  }
  const measure = measureOf(assertion.check);
  if (measure === undefined) throw new MeasureRefusal(`there is no measure of ${assertion.check}`);
  return measure(assertion, scope);
}

const expected = z.looseObject({ check: z.string() });

/** What a quirk expects; any other assertion itself. */
function innerOf(assertion: Assertion): Assertion {
  const inner = assertion.check === "quirk" ? expected.safeParse(assertion["expect"]) : null;
  return inner?.success === true ? inner.data : assertion;
}

/** What is known of a reading before anything was measured. */
function emptyObserved(audit: DeclaredAudit, { clocks }: MeasureScope): Observed {
  const inner = innerOf(audit.assertion);
  const isFreshness = inner.check === "max_age" || inner.check === "no_future";
  const isDated =
    audit.assertion.check === "not_applicable" ||
    audit.assertion["since"] !== undefined ||
    audit.assertion["until"] !== undefined;
  const clock = isFreshness && inner["clock"] === "as_of" ? clocks.as_of : clocks.run_start;
  return {
    check: audit.assertion.check,
    of: SUBJECTS.find((subject) => subject === inner["of"]) ?? (inner.check === "parses" ? "raw" : "staged"),
    verdict: "error",
    finding: "",
    measured: {},
    expected: {},
    violations: null,
    rows_tested: null,
    null_count: null,
    non_finite_count: null,
    groups_missing: null,
    baseline: null,
    sample: null,
    sql_sha256: null,
    clock: isFreshness || isDated ? clock : null,
    ms: 0,
    error: null,
  };
}

const readingOf = (audit: DeclaredAudit, observed: Observed): Reading => ({
  name: audit.name,
  clause: audit.clause,
  level: audit.level,
  expectation: audit.expectation,
  passed: observed.verdict === "pass",
  observed,
});

/** Data errors whose message names no value: division by zero, and a regular expression that is none. */
const VALUE_FREE = new Set(["22012", "2201B"]);

/**
 * What an error says in a reading; null for a fault of the run. Data errors (class 22) name a cell in their message, so only
 * their SQLSTATE is told; DETAIL and CONTEXT never are. A cancelled statement is a reading only where its own time was over.
 */
function sentenceOf(error: unknown, timedOut: boolean): string | null {
  if (error instanceof MeasureRefusal) return error.message;
  if (error instanceof RangeError) return error.message;
  if (error instanceof z.ZodError)
    return `the assertion or its measurement has not the expected form: ${error.issues[0]?.message ?? ""}`;
  const state = sqlStateOf(error);
  // 57P and 08: the server or the connection went away.
  if (state === null || !(error instanceof Error) || /^(?:57P|08)/.test(state)) return null;
  if (state === "57014" && !timedOut) return null;
  return state.startsWith("22") && !VALUE_FREE.has(state)
    ? `SQLSTATE ${state} (a value cannot be computed)`
    : `SQLSTATE ${state}: ${error.message}`;
}
