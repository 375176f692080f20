// What the command line prints of runs: few lines, width 80, the next step at the end (design: ux 4).
import type { PreflightReport, PublicationPlan, RunRecord } from "../domain/manifest.ts";
import { grouped, readableInstant } from "../domain/numbers.ts";
import { shortRunId } from "../domain/run.ts";
import { contractOf, failedReadings, failureOf, gatingReadings } from "./bundle.ts";
import { forTerminal } from "./escape.ts";

export type Style = (kind: "good" | "bad" | "warn" | "dim" | "strong", text: string) => string;

const readersSee = (run: RunRecord): string =>
  run.preflight.target.exists
    ? `readers still see the old version (${grouped(run.preflight.target.rowCount ?? "?")} rows)`
    : "readers see nothing of it: the target does not exist yet";

/** After `wap audit`: failed audits with their place, then the verdict and the next command. */
export function auditLines(
  run: RunRecord,
  options: {
    readonly style: Style;
    readonly plain: boolean;
    readonly lineOf: (audit: string) => number | null;
  },
): string[] {
  const { style, plain, lineOf } = options;
  const lines: string[] = [];
  for (const { clause, name, observed } of failedReadings(run)) {
    lines.push(
      `  ${style("bad", plain ? "failed" : "✗")} ${clause}.${name}   ${forTerminal(observed.finding)}`,
    );
    const line = lineOf(name);
    if (line !== null) lines.push(`      at    ${run.contractPath}:${line}`);
  }
  if (run.status === "audited") {
    lines.push(
      `${style("good", "AUDITED")}  run ${run.runId}: ${gatingReadings(run).length} audits pass, ${grouped(run.stageRowCount ?? "?")} rows; ${readersSee(run)}.`,
    );
    lines.push(`         next: wap approve ${run.runId} --ref URL`);
  } else if (run.status === "failed") {
    const failure = failureOf(run);
    lines.push(`${style("bad", "FAILED")}  run ${run.runId}: ${forTerminal(failure?.detail ?? "")}`);
    lines.push(`        ${readersSee(run)}.   wap show ${run.runId} --html report.html`);
  }
  return lines;
}

/** The state of one run, and what it means for readers. */
export function stateLines(run: RunRecord, style: Style): string[] {
  const contract = contractOf(run);
  const head = `${contract.id} ${contract.version}`;
  const publication = run.publications.at(-1);
  const checks = run.verification.map(
    (check) => `${check.passed ? "ok" : "NOT OK"} ${check.name}: ${forTerminal(check.observed)}`,
  );
  if (run.status === "published") {
    return [
      `${style("good", "PUBLISHED")}  ${head} to ${run.preflight.target.name}: ${grouped(run.stageRowCount ?? "?")} rows since ${readableInstant(run.publishedAt ?? run.createdAt)}; readers waited at most ${publication?.lockHeldMs ?? "?"} ms${run.current ? "" : "; a newer version was published since"}`,
      ...checks.map((check) => `  ${check}`),
      `  undo: wap rollback ${run.runId} --ref URL`,
    ];
  }
  if (run.status === "rolled_back") {
    return [
      `${style("warn", "ROLLED BACK")}  ${head}: readers of ${run.preflight.target.name} see ${publication?.backing ?? "the version before"} again`,
      ...checks.map((check) => `  ${check}`),
    ];
  }
  return [`${run.status.toUpperCase()}  ${head}, run ${run.runId}`];
}

/** Everything about one run, for `wap show`. */
export function showLines(run: RunRecord, style: Style): string[] {
  const contract = contractOf(run);
  const { database, target } = run.preflight;
  const failure = failureOf(run);
  const width = Math.max(0, ...run.readings.map(({ clause, name }) => clause.length + name.length + 1));
  return [
    `${style("strong", `run ${run.runId}`)}  ${run.status}${run.current ? ", the version that readers see" : ""}`,
    `contract   ${contract.id} ${contract.version}, ${run.contractPath}, sha256 ${run.contractHash.slice(0, 12)}…`,
    `source     ${forTerminal(run.sourceRef)}, ${run.landing === null ? "not landed" : `${grouped(run.landing.parsed)} records, ${grouped(run.landing.rejected)} rejected, ${grouped(run.landing.bytes)} bytes`}, sha256 ${run.sourceFingerprint.slice(0, 12)}…`,
    `target     ${target.name} in ${database.name} at ${database.address}, PostgreSQL ${database.version}; stage ${run.stageName}`,
    ...(failure === null
      ? []
      : [`reason     ${style("bad", failure.reason ?? "")} ${forTerminal(failure.detail ?? "")}`]),
    "",
    ...run.readings.map(
      ({ clause, name, passed, level, observed }) =>
        `${style(passed ? "good" : level === "advisory" ? "warn" : "bad", passed ? "pass" : level === "advisory" ? "note" : "FAIL")}  ${`${clause}.${name}`.padEnd(width)}  ${forTerminal(observed.finding)}`,
    ),
    "",
    ...run.approvals.map(
      (approval) =>
        `approved   ${approval.kind} by ${forTerminal(approval.by)}, ${readableInstant(approval.at)}, ${forTerminal(approval.ref)}`,
    ),
    ...run.publications.map(
      (publication) =>
        `${publication.kind === "publish" ? "published " : "rolled back"} ${readableInstant(publication.at)}: ${publication.backing} (before: ${publication.previousBacking ?? "nothing"})`,
    ),
    ...run.verification.map(
      (check) => `verified   ${check.passed ? "ok" : "NOT OK"} ${check.name}: ${forTerminal(check.observed)}`,
    ),
    ...run.transitions.map((transition) =>
      style(
        "dim",
        `${readableInstant(transition.at)}  ${transition.from ?? "start"} → ${transition.to}  by ${transition.login}`,
      ),
    ),
  ];
}

/** One line a run, for `wap runs`. */
export function runTable(runs: readonly RunRecord[], now: Date): string[] {
  if (runs.length === 0) return ["no runs"];
  return runs.map((run) => {
    const hours = Math.floor((now.getTime() - new Date(run.createdAt).getTime()) / 3_600_000);
    const age = hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
    return `${run.runId}  ${run.status.padEnd(11)} ${contractOf(run).id.padEnd(24)} ${grouped(run.stageRowCount ?? "–").padStart(11)} rows  ${age} ago${run.current ? "  ← readers see this" : ""}`;
  });
}

/** What a publish would do, for `wap plan`. */
export function planLines(contractId: string, report: PreflightReport, plan: PublicationPlan): string[] {
  const { database, target, source } = report;
  return [
    `${contractId} → ${target.name}: ${target.exists ? `${target.kind} of ${target.owner}, ${grouped(target.rowCount ?? "?")} rows${target.currentRun === null ? "" : `, run ${shortRunId(target.currentRun)}`}` : "does not exist yet"}`,
    `database    ${database.name} at ${database.address}, PostgreSQL ${database.version}, login ${database.login}, ${database.tls ? "TLS" : "no TLS"}`,
    `source      ${forTerminal(source.ref)}, ${grouped(source.bytes)} bytes`,
    `inventory   ${target.properties} properties; dependents: ${target.dependents.length === 0 ? "none" : target.dependents.join(", ")}`,
    `strategy    ${plan.strategy}: ${plan.reason}`,
    ...plan.steps.map((step, n) => `${n === 0 ? "steps      " : "           "} ${n + 1}. ${step}`),
    ...plan.locks.map((lock, n) => `${n === 0 ? "locks      " : "           "} ${lock}`),
    `limits      lock ${plan.lockTimeoutMs / 1000} s, statement ${plan.statementTimeoutMs / 1000} s`,
    `rollback    ${plan.rollbackName ?? "none: this is the first version"}`,
    `retention   at least ${plan.retention.versions} versions and ${plan.retention.age}, observed for ${plan.retention.observeFor}`,
  ];
}
