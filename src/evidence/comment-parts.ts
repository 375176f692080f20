// The parts of the evidence comment that several states share: tables, ledgers, plans, the footer.
import type { Reading } from "../domain/audits/check.ts";
import type { RunRecord } from "../domain/manifest.ts";
import { grouped, readableBytes, readableInstant, share, signed } from "../domain/numbers.ts";
import { shortRunId } from "../domain/run.ts";
import type { Part } from "./budget.ts";
import {
  advisoryFailures,
  contractOf,
  evidenceDigest,
  failedReadings,
  failureOf,
  gatingReadings,
} from "./bundle.ts";
import type { ContractView } from "./comment.ts";
import { inCode } from "./escape.ts";
import { details, plain, table } from "./markdown.ts";

/** Target, rows, keys, newest value, columns: before and after. */
export function glance(run: RunRecord): string {
  const { target } = run.preflight;
  const rows =
    run.stageRowCount ??
    run.readings.find((one) => one.observed.check === "row_count")?.observed.rows_tested ??
    null;
  const before = target.exists ? grouped(target.rowCount ?? "?") : "–";
  const lines: string[][] = [
    [
      "rows",
      before,
      rows === null ? "–" : grouped(rows),
      target.rowCount === null || rows === null ? "first version" : signed(target.rowCount, rows),
    ],
  ];
  if (run.changes !== null) {
    const { added, removed, changed } = run.changes;
    lines.push([
      `keys (${plain(run.changes.key.join(", "))})`,
      "",
      "",
      `${grouped(added)} added, ${grouped(removed)} removed, ${grouped(changed)} changed`,
    ]);
  }
  for (const { observed } of run.readings) {
    if (observed.check === "max_age" && typeof observed.measured["newest"] === "string") {
      lines.push(["newest", "", plain(readableInstant(observed.measured["newest"])), ""]);
      break;
    }
  }
  lines.push([
    "columns and types",
    target.exists ? `${contractOf(run).target_schema.length}` : "–",
    `${contractOf(run).target_schema.length}`,
    target.exists ? "same" : "",
  ]);
  const current = target.currentRun === null ? "published" : `published (${shortRunId(target.currentRun)})`;
  return table(
    [inCode(target.name), target.exists ? current : "not published yet", "this run", "change"],
    lines,
  );
}

/** Changed columns, with exact counts over the keys on both sides. */
export function changedColumns(run: RunRecord): string {
  if (run.changes === null) return "";
  const both = (BigInt(run.changes.changed) + BigInt(run.changes.unchanged)).toString();
  const columns = Object.entries(run.changes.columns);
  if (columns.length === 0) return "";
  const named = columns
    .slice(0, 20)
    .map(
      ([column, count]) => `${inCode(column)} ${grouped(count)} of ${grouped(both)} (${share(count, both)})`,
    );
  return `**Changed columns:** ${named.join(" · ")}${columns.length > 20 ? ` · ${columns.length - 20} more` : ""}`;
}

/** Advisory readings that say no, and clauses that were waived. */
export function notes(run: RunRecord): string {
  const said = [
    ...advisoryFailures(run).map((one) => `⚠️ advisory ${inCode(one.name)}: ${plain(one.observed.finding)}`),
    ...run.readings
      .filter((one) => one.observed.check === "not_applicable")
      .map((one) => `⚠️ ${inCode(one.clause)}: ${plain(one.observed.finding)}`),
  ];
  return said.length === 0 ? "" : `**Notes:** ${said.join(" · ")}`;
}

const mark = (reading: Reading): string =>
  reading.passed ? "✅" : reading.level === "advisory" ? "⚠️" : "❌";

export const auditTable = (readings: readonly Reading[]): string =>
  table(
    ["", "audit", "expected", "observed"],
    readings.map((one) => [
      mark(one),
      inCode(`${one.clause}.${one.name}`),
      plain(one.expectation),
      plain(one.observed.finding),
    ]),
  );

/** The first ten failed audits in full; never cut. */
export function failedTable(run: RunRecord, lineOf: ContractView["lineOf"]): string {
  const failed = failedReadings(run);
  const rows = failed.slice(0, 10).map((one) => {
    const line = lineOf(one);
    return [
      inCode(`${one.clause}.${one.name}`),
      plain(one.expectation),
      plain(one.observed.finding),
      line === null ? "" : `line ${line}`,
    ];
  });
  const more =
    failed.length > 10
      ? `\n\n${failed.length - 10} more failed audits: ${failed
          .slice(10, 60)
          .map((one) => inCode(one.name))
          .join(", ")}${failed.length > 60 ? " …" : ""}`
      : "";
  return `${table(["❌ audit", "expected", "observed", "contract"], rows)}${more}`;
}

export function ledger(run: RunRecord): string {
  const { landing } = run;
  if (landing === null) return "";
  const left = Object.entries(run.excluded);
  const lines = [
    `${grouped(landing.parsed)} parsed = ${grouped(landing.landed)} landed + ${grouped(landing.rejected)} rejected`,
    ...run.readings
      .filter((one) => one.observed.check === "equation" && !one.observed.finding.includes("parsed"))
      .map((one) => plain(one.observed.finding)),
    ...left.map(([reason, rows]) => `left out as ${inCode(reason)}: ${grouped(rows)}`),
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}

/** Folded parts, in the order in which they are sacrificed. */
export function foldedParts(view: ContractView, options: { readonly withPlan: boolean }): Part[] {
  const { run, history } = view;
  const gating = gatingReadings(run);
  const passing = run.readings.filter((one) => one.passed);
  const parts: Part[] = [];
  const name =
    gating.length === passing.length
      ? `All ${run.readings.length} audits`
      : `${passing.length} audits that pass`;
  if (passing.length > 0)
    parts.push({
      text: details(name, auditTable(gating.length === passing.length ? run.readings : passing)),
      sacrifice: name,
      rank: 1,
    });
  if (run.landing !== null) {
    const { landing } = run;
    const text = `${ledger(run)}\n\nSource ${inCode(run.sourceRef)}, ${readableBytes(Number(landing.bytes))}, sha256 ${inCode(run.sourceFingerprint)}`;
    parts.push({
      text: details(
        `Row ledger: ${grouped(landing.parsed)} parsed = ${grouped(landing.landed)} landed + ${grouped(landing.rejected)} rejected`,
        text,
      ),
      sacrifice: "the row ledger",
      rank: 3,
    });
  }
  if (options.withPlan) {
    const { plan } = run;
    const body = [
      plain(plan.reason),
      plan.steps.map((step, n) => `${n + 1}. ${plain(step)}`).join("\n"),
      `Locks: ${plan.locks.map(plain).join("; ")}. Lock limit ${plan.lockTimeoutMs / 1000} s, statement limit ${plan.statementTimeoutMs / 1000} s.`,
      `Rollback: ${plan.rollbackName === null ? "none, this is the first version" : inCode(plan.rollbackName)}. Kept: at least ${plan.retention.versions} versions and ${plain(plan.retention.age)}.`,
    ].join("\n\n");
    parts.push({
      text: details(`What publishing does (${plan.strategy} swap) and how to undo it`, body),
      sacrifice: "the publication plan",
      rank: 4,
    });
  }
  if (history.length > 1) {
    const marks = {
      audited: "✅",
      approved: "✅",
      published: "📦",
      failed: "❌",
      rolled_back: "↩️",
      building: "⏳",
      built: "⏳",
    } as const;
    const sequence = history
      .toReversed()
      .map(
        (one) =>
          `${marks[one.status]} ${inCode(shortRunId(one.runId))}${one.runId === run.runId ? " (this)" : ""}`,
      );
    parts.push({ text: `Runs here: ${sequence.slice(-12).join(" → ")}`, sacrifice: "earlier runs", rank: 2 });
  }
  return parts;
}

/** Run, commit, digest, links: never cut. */
export function footer(view: ContractView): string {
  const { run, links } = view;
  const commit =
    run.provenance.kind === "github" ? [`commit ${inCode(run.provenance.headSha.slice(0, 7))}`] : [];
  const linked = [
    links.report === null ? null : `[report](${links.report})`,
    links.workflowRun === null ? null : `[job](${links.workflowRun})`,
  ].filter((one) => one !== null);
  return `<sub>run ${inCode(run.runId)} · ${[...commit, `evidence sha256 ${inCode(evidenceDigest(run))}`, ...linked, readableInstant(run.auditedAt ?? run.createdAt)].join(" · ")}</sub>`;
}

export const whyFailed = (run: RunRecord): string => plain(failureOf(run)?.detail ?? "the run failed");
