// What the command line prints of runs: few lines, width 80, the next step at the end (design: ux 4).
import type { PreflightReport, PublicationPlan, RunRecord, VerificationCheck } from "../domain/manifest.ts";
import { grouped, readableBytes, readableInstant, readableMoment, readableMs } from "../domain/numbers.ts";
import { shortRunId } from "../domain/run.ts";
import { contractOf, evidenceDigest, failedReadings, failureOf, gatingReadings } from "./bundle.ts";
import { forTerminal as shown } from "./escape.ts";
import { publicationOf, waitedAtMost, waivers } from "./facts.ts";
import { labelled, middle, padded, wrapped } from "./terminal-width.ts";

export type Style = (kind: "good" | "bad" | "warn" | "dim" | "strong", text: string) => string;

const sees = (run: RunRecord): string =>
  run.preflight.target.exists
    ? `readers still see the old version (${grouped(run.preflight.target.rowCount ?? "?")} rows)`
    : "readers see nothing of it: the target does not exist yet";

const headOf = (run: RunRecord): string => shown(`${contractOf(run).id} ${contractOf(run).version}`);

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
  const lines = failedReadings(run).flatMap(({ clause, name, expectation, observed }) => {
    const line = lineOf(name);
    return [
      `  ${style("bad", plain ? "failed" : "✗")} ${shown(`${clause}.${name}`)}`,
      ...labelled("      found ", shown(observed.finding)),
      ...labelled("      wanted", shown(expectation)),
      ...(line === null ? [] : [`      at     ${shown(`${run.contractPath}:${line}`)}`]),
    ];
  });
  if (run.status === "audited") return [...lines, ...auditedLines(run, style)];
  if (run.status === "failed") return [...lines, ...failedLines(run, style)];
  return [...lines, ...stateLines(run, style)];
}

const auditedLines = (run: RunRecord, style: Style): string[] => [
  `${style("good", "AUDITED")}  run ${run.runId}`,
  ...labelled(
    "        ",
    `${gatingReadings(run).length} audits pass, ${grouped(run.stageRowCount ?? "?")} rows; ${sees(run)}.`,
  ),
  `  next: wap approve ${run.runId} --ref URL`,
];

const failedLines = (run: RunRecord, style: Style): string[] => {
  const failure = failureOf(run);
  const code = failure?.reason === null || failure?.reason === undefined ? "" : ` (${failure.reason})`;
  return [
    `${style("bad", "FAILED")}  run ${run.runId}${code}`,
    ...labelled("       ", `${shown(failure?.detail ?? "the run failed")}; ${sees(run)}.`),
    `  next: wap show ${run.runId} --html report.html`,
  ];
};

const checkLines = (checks: readonly VerificationCheck[], style: Style): string[] =>
  checks.flatMap(({ name, passed, observed }) =>
    labelled(passed ? "  ok    " : `  ${style("bad", "NOT OK")}`, shown(`${name}: ${observed}`), 8),
  );

/** The state of one run, and what it means for readers. */
export function stateLines(run: RunRecord, style: Style): string[] {
  const checks = checkLines(run.verification, style);
  if (run.status === "published") {
    const publication = publicationOf(run, "publish");
    const waited = publication === null ? "" : `; readers waited at most ${waitedAtMost(publication)}`;
    const newer = run.current ? "" : "; a newer version was published since";
    const sentence = `${shown(run.preflight.target.name)} has ${grouped(run.stageRowCount ?? "?")} rows since ${readableMoment(run.publishedAt ?? run.createdAt)}${waited}${newer}.`;
    return [
      `${style("good", "PUBLISHED")}  ${headOf(run)}`,
      ...labelled("          ", sentence),
      ...checks,
      ...(run.current && run.rollbackName !== null ? [`  undo: wap rollback ${run.runId} --ref URL`] : []),
    ];
  }
  if (run.status === "rolled_back") {
    const back = publicationOf(run, "rollback");
    const sentence = `Readers of ${shown(run.preflight.target.name)} see ${shown(back?.backing ?? "the version before")} again${back === null ? "" : `, since ${readableMoment(back.at)}`}.`;
    return [
      `${style("warn", "ROLLED BACK")}  ${headOf(run)}`,
      ...labelled("            ", sentence),
      ...checks,
    ];
  }
  if (run.status === "failed") return failedLines(run, style);
  if (run.status === "audited") return auditedLines(run, style);
  const next = run.status === "approved" ? [`  next: wap publish ${run.runId}`] : [];
  return [`${run.status.toUpperCase()}  ${headOf(run)}, run ${run.runId}`, ...next];
}

/** Everything about one run, for `wap show`. */
export function showLines(run: RunRecord, style: Style): string[] {
  const { database, target } = run.preflight;
  const { landing } = run;
  const failure = failureOf(run);
  const line = (label: string, text: string): string[] => labelled(label.padEnd(LABEL), shown(text));
  const landed =
    landing === null
      ? "not landed"
      : `${grouped(landing.parsed)} records, ${grouped(landing.rejected)} rejected, ${readableBytes(Number(landing.bytes))}`;
  return [
    `${style("strong", `run ${run.runId}`)}  ${run.status.replace("_", " ")}${run.current ? ", the version that readers see" : ""}`,
    ...line("contract", `${headOf(run)}, ${run.contractPath}`),
    ...line("source", `${run.sourceRef}: ${landed}`),
    ...line(
      "target",
      `${target.name} in ${database.name} at ${database.address}, PostgreSQL ${database.version}`,
    ),
    ...line("stage", `${run.stageName}, ${grouped(run.stageRowCount ?? "–")} rows`),
    ...line("sha256", `contract ${cut(run.contractHash)}, source ${cut(run.sourceFingerprint)}`),
    ...line("evidence", evidenceDigest(run)),
    ...(failure === null
      ? []
      : [
          `${"reason".padEnd(LABEL)}${style("bad", failure.reason ?? "unknown")}`,
          ...line("", failure.detail ?? ""),
        ]),
    "",
    ...readingLines(run, style),
    ...waivers(run).flatMap(([clause, { approved_by, reason }]) =>
      labelled(
        `${style("warn", "n/a")}   `,
        shown(`${clause}: not applicable, says ${approved_by}: ${reason}`),
        6,
      ),
    ),
    "",
    ...run.approvals.flatMap(({ kind, by, at, ref }) =>
      line("approved", `${kind} by ${by}, ${readableInstant(at)}, ${ref}`),
    ),
    ...run.publications.flatMap(({ kind, at, backing, previousBacking }) =>
      line(
        kind === "publish" ? "published" : "went back",
        `${readableMoment(at)}: ${backing} (before: ${previousBacking ?? "nothing"})`,
      ),
    ),
    ...checkLines(run.verification, style),
    ...run.transitions.map(({ at, from, to, login }) =>
      style("dim", shown(`${readableMoment(at)}  ${from ?? "start"} → ${to}, by ${login}`)),
    ),
  ];
}

const LABEL = 11;

const cut = (hash: string): string => `${hash.slice(0, 12)}…`;

function readingLines(run: RunRecord, style: Style): string[] {
  const readings = run.readings.filter(
    ({ observed }) => observed.check !== "not_applicable" || observed.verdict !== "pass",
  );
  return readings.flatMap(({ clause, name, passed, level, observed }) => {
    const [kind, word] = passed
      ? (["good", "pass"] as const)
      : level === "advisory"
        ? (["warn", "note"] as const)
        : (["bad", "FAIL"] as const);
    return [
      `${style(kind, word)}  ${shown(`${clause}.${name}`)}`,
      ...labelled("      ", shown(observed.finding)),
    ];
  });
}

/** One line a run, for `wap runs`: at most 80 columns before the mark of what readers see. */
export function runTable(runs: readonly RunRecord[], now: Date): string[] {
  if (runs.length === 0) return ["no runs"];
  return runs.map((run) => {
    const hours = Math.max(0, Math.floor((now.getTime() - Date.parse(run.createdAt)) / 3_600_000));
    const age = hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
    const id = padded(middle(shown(contractOf(run).id), 15), 15);
    const rows = grouped(run.stageRowCount ?? "–").padStart(9);
    return `${run.runId} ${run.status.padEnd(11)} ${id} ${rows} ${age.padStart(5)}${run.current ? "  ← readers see this" : ""}`;
  });
}

/** What a publish would do, for `wap plan`. */
export function planLines(contractId: string, report: PreflightReport, plan: PublicationPlan): string[] {
  const { database, target, source } = report;
  const line = (label: string, text: string): string[] => labelled(label.padEnd(12), shown(text));
  const current = target.currentRun === null ? "" : `, run ${shortRunId(target.currentRun)}`;
  const now = target.exists
    ? `${target.kind} of ${target.owner}, ${grouped(target.rowCount ?? "?")} rows${current}`
    : "does not exist yet";
  const numbered = plan.steps.flatMap((step, n) => line(n === 0 ? "steps" : "", `${n + 1}. ${step}`));
  return [
    ...wrapped(shown(`${contractId} → ${target.name}: ${now}`), ""),
    ...line(
      "database",
      `${database.name} at ${database.address}, PostgreSQL ${database.version}, login ${database.login}, ${database.tls ? "TLS" : "no TLS"}`,
    ),
    ...line("source", `${source.ref}, ${grouped(source.bytes)} bytes`),
    ...line(
      "inventory",
      `${target.properties} properties; dependents: ${target.dependents.length === 0 ? "none" : target.dependents.join(", ")}`,
    ),
    ...line("strategy", `${plan.strategy}: ${plan.reason}`),
    ...numbered,
    ...plan.locks.flatMap((lock, n) => line(n === 0 ? "locks" : "", lock)),
    ...line(
      "limits",
      `lock ${readableMs(plan.lockTimeoutMs)}, statement ${readableMs(plan.statementTimeoutMs)}`,
    ),
    ...line("rollback", plan.rollbackName ?? "none: this is the first version"),
    ...line(
      "retention",
      `at least ${plan.retention.versions} versions and ${plan.retention.age}, observed for ${plan.retention.observeFor}`,
    ),
  ];
}
