// report.html: everything that the control tables hold of one run, in one file (design: ux 3).
import type { RunRecord } from "../domain/manifest.ts";
import { grouped, readableBytes, readableInstant, share } from "../domain/numbers.ts";
import {
  contractOf,
  evidenceDigest,
  evidenceOf,
  failedReadings,
  failureOf,
  gatingReadings,
} from "./bundle.ts";
import { inHtml } from "./escape.ts";
import { htmlPage, htmlTable } from "./html-page.ts";
import { ledgerPlot } from "./ledger-plot.ts";

const section = (id: string, title: string, body: string): string =>
  body === "" ? "" : `<section id="${id}"><h2>${inHtml(title)}</h2>${body}</section>`;

const VERDICTS: Readonly<Record<RunRecord["status"], string>> = {
  building: "⏳ building",
  built: "⏳ built, not audited yet",
  audited: "✅ ready to publish after approval",
  approved: "✅ approved",
  published: "📦 published",
  failed: "❌ failed, nothing was published",
  rolled_back: "↩️ rolled back",
};

/** The report of a run; self-contained and without scripts. */
export function reportHtml(run: RunRecord): string {
  const contract = contractOf(run);
  const failed = failedReadings(run);
  const gating = gatingReadings(run);
  const { target, database } = run.preflight;
  const failure = failureOf(run);
  const sentence =
    failure === null
      ? `${gating.filter((one) => one.passed).length} of ${gating.length} audits pass.`
      : `${failure.detail ?? "The run failed."} ${target.exists ? `Readers still see the old version (${grouped(target.rowCount ?? "?")} rows).` : ""}`;
  const evidence = JSON.stringify(evidenceOf(run), null, 1);
  return htmlPage(
    `${contract.id}: ${VERDICTS[run.status]}`,
    [
      `<h1>${inHtml(contract.id)} ${inHtml(contract.version)}: ${VERDICTS[run.status]}</h1>`,
      `<p class="soft">run <code>${run.runId}</code> · ${inHtml(readableInstant(run.createdAt))}${run.provenance.kind === "github" ? ` · ${inHtml(run.provenance.repository)} at <code>${inHtml(run.provenance.headSha)}</code>` : ""}</p>`,
      `<p class="verdict${run.status === "failed" ? " bad" : ""}">${inHtml(sentence)}</p>`,
      section(
        "failed",
        "Failed audits",
        failed.length === 0
          ? ""
          : htmlTable(
              ["audit", "expected", "observed"],
              failed.map((one) => [`${one.clause}.${one.name}`, one.expectation, one.observed.finding]),
            ),
      ),
      section("glance", "At a glance", glanceTable(run)),
      section("ledger", "Row ledger", ledgerSection(run)),
      section("changes", "What changes", changesSection(run)),
      section(
        "audits",
        "All audits",
        htmlTable(
          ["", "audit", "expected", "observed", "rows tested", "violations", "ms"],
          run.readings.map((one) => [
            one.passed ? "pass" : one.level === "advisory" ? "note" : "FAIL",
            `${one.clause}.${one.name}`,
            one.expectation,
            one.observed.finding,
            grouped(one.observed.rows_tested ?? "–"),
            grouped(one.observed.violations ?? "–"),
            `${one.observed.ms}`,
          ]),
        ),
      ),
      section("source", "Source", sourceSection(run)),
      section("plan", "Publication plan", planSection(run)),
      section("approval", "Approval and history", historySection(run)),
      section(
        "fingerprints",
        "Fingerprints",
        htmlTable(
          ["what", "value"],
          Object.entries({
            contract: run.contractHash,
            transform: run.transformHash,
            source: run.sourceFingerprint,
            preflight: run.preflightFingerprint,
            "stage schema": run.stageSchemaFingerprint ?? "–",
            "stage content": run.stageFingerprint ?? "–",
            "control schema": run.controlFingerprint,
            evidence: evidenceDigest(run),
          }),
        ),
      ),
      section(
        "evidence",
        "evidence.json",
        `<details><summary>${inHtml(`the whole document, decision digest ${evidenceDigest(run)}`)}</summary><pre><code>${inHtml(evidence)}</code></pre></details>`,
      ),
      `<p class="soft">${inHtml(`${database.name} at ${database.address}, PostgreSQL ${database.version}. Printed from the control tables; nothing here is decided again.`)}</p>`,
    ].join("\n"),
  );
}

function glanceTable(run: RunRecord): string {
  const { target } = run.preflight;
  const rows = [
    [
      "target",
      target.exists
        ? `${target.name}, ${target.kind} of ${target.owner}`
        : `${target.name}, does not exist yet`,
    ],
    ["rows before", target.exists ? grouped(target.rowCount ?? "?") : "–"],
    ["rows in this run", grouped(run.stageRowCount ?? "–")],
    ["strategy", `${run.plan.strategy}: ${run.plan.reason}`],
  ];
  return htmlTable(["", ""], rows);
}

function ledgerSection(run: RunRecord): string {
  const { landing } = run;
  if (landing === null) return "";
  const bars = [
    { label: "parsed", count: BigInt(landing.parsed) },
    { label: "landed", count: BigInt(landing.landed) },
    { label: "rejected", count: BigInt(landing.rejected) },
    ...Object.entries(run.excluded).map(([reason, rows]) => ({
      label: reason.slice(0, 20),
      count: BigInt(rows),
    })),
    ...(run.stageRowCount === null ? [] : [{ label: "staged", count: BigInt(run.stageRowCount) }]),
  ];
  const sentence = bars.map((bar) => `${grouped(bar.count.toString())} ${bar.label}`).join(", ");
  return `${ledgerPlot(bars, sentence)}${htmlTable(
    ["term", "records"],
    bars.map((bar) => [bar.label, grouped(bar.count.toString())]),
  )}`;
}

function changesSection(run: RunRecord): string {
  const { changes } = run;
  if (changes === null)
    return run.preflight.target.exists
      ? "<p>Not compared: rows cannot be paired by the contract's key.</p>"
      : "<p>First version: there is nothing to compare with.</p>";
  const both = (BigInt(changes.changed) + BigInt(changes.unchanged)).toString();
  const keys = htmlTable(
    ["keys", "rows"],
    [
      ["added", grouped(changes.added)],
      ["removed", grouped(changes.removed)],
      ["changed", grouped(changes.changed)],
      ["unchanged", grouped(changes.unchanged)],
    ],
  );
  const columns = Object.entries(changes.columns);
  return `<p>By key (${inHtml(changes.key.join(", "))}), against what readers saw at preflight.</p>${keys}${
    columns.length === 0
      ? "<p>No value of a key on both sides differs.</p>"
      : htmlTable(
          ["column", "changed values"],
          columns.map(([column, count]) => [
            column,
            `${grouped(count)} of ${grouped(both)} (${share(count, both)})`,
          ]),
        )
  }`;
}

function sourceSection(run: RunRecord): string {
  const { landing } = run;
  const rows = [
    ["file", run.sourceRef],
    ["sha256", run.sourceFingerprint],
  ];
  if (landing !== null) {
    rows.push(
      ["delivered", `${grouped(landing.bytes)} bytes (${readableBytes(Number(landing.bytes))})`],
      ["plain", `${grouped(landing.plainBytes)} bytes`],
      ["records", grouped(landing.parsed)],
      ["raw snapshot", landing.rawName],
    );
    rows.push(
      [
        "rejects",
        Object.entries(landing.rejectReasons)
          .map(([reason, count]) => `${reason} ${grouped(count)}`)
          .join(", ") || "none",
      ],
      ["header", landing.header.join(", ")],
    );
    rows.push([
      "parser",
      Object.entries(landing.parser)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
    ]);
  }
  return htmlTable(["", ""], rows);
}

const planSection = (run: RunRecord): string =>
  `<ol>${run.plan.steps.map((step) => `<li>${inHtml(step)}</li>`).join("")}</ol>${htmlTable(
    ["", ""],
    [
      ["locks", run.plan.locks.join("; ")],
      ["rollback", run.plan.rollbackName ?? "none: this is the first version"],
      [
        "retention",
        `at least ${run.plan.retention.versions} versions and ${run.plan.retention.age}, observed for ${run.plan.retention.observeFor}`,
      ],
      ["dependents", run.preflight.target.dependents.join(", ") || "none"],
    ],
  )}`;

function historySection(run: RunRecord): string {
  const approvals = htmlTable(
    ["approval", "by", "reference", "when", "recorded by"],
    run.approvals.map((one) => [one.kind, one.by, one.ref, readableInstant(one.at), one.login]),
  );
  const verified =
    run.verification.length === 0
      ? ""
      : htmlTable(
          ["verified", "", "observed"],
          run.verification.map((one) => [one.name, one.passed ? "ok" : "NOT OK", one.observed]),
        );
  const history = htmlTable(
    ["when", "from", "to", "login"],
    run.transitions.map((one) => [readableInstant(one.at), one.from ?? "–", one.to, one.login]),
  );
  return `${run.approvals.length === 0 ? "<p>Not approved.</p>" : approvals}${verified}${history}`;
}
