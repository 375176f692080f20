// report.html: everything that the control tables hold of one run, in one file (design: ux 3).
import { createHash } from "node:crypto";
import type { RunRecord } from "../domain/manifest.ts";
import { grouped, readableInstant, signed } from "../domain/numbers.ts";
import {
  contractOf,
  evidenceDigest,
  evidenceOf,
  failedReadings,
  failureOf,
  gatingReadings,
} from "./bundle.ts";
import { approvalOf, newestValue, publicationOf, rowsBefore, waivers } from "./facts.ts";
import { htmlDetails, htmlLink, htmlPage, htmlText } from "./html-page.ts";
import { commitAddress, shortCommit } from "./places.ts";
import { auditsSection, failedSection } from "./report/audits.ts";
import { changesSection, ledgerSection, sourceSection } from "./report/delivery.ts";
import { fingerprintsSection, historySection, planSection } from "./report/publication.ts";

/** Largest report, in bytes: it is read in a browser, mailed and kept. */
export const REPORT_LIMIT = 250_000;

/** How much of each list is shown. */
interface Room {
  readonly failures: number;
  readonly readings: number;
  readonly embedded: boolean;
}

/** What is left out first: the embedded document, whose hash stays, then readings that pass, then details of the later failures. */
const ROOMS: readonly Room[] = [
  { failures: 30, readings: 2_000, embedded: true },
  { failures: 30, readings: 2_000, embedded: false },
  { failures: 10, readings: 200, embedded: false },
  { failures: 3, readings: 20, embedded: false },
  { failures: 0, readings: 0, embedded: false },
];

interface Document {
  readonly text: string;
  readonly sha256: string;
  readonly digest: string;
}

/** The report of a run; self-contained, without scripts, at most 250 kB; what was left out for size is said. */
export function reportHtml(run: RunRecord): string {
  // In plain ASCII: what a page shows of other characters could not be hashed again.
  const text = JSON.stringify(evidenceOf(run), null, 1).replace(
    /[^\x20-\x7e\n]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const sha256 = createHash("sha256").update(text).digest("hex");
  const evidence: Document = { text, sha256, digest: evidenceDigest(run) };
  let page = "";
  for (const room of ROOMS) {
    if (room.embedded && text.length > REPORT_LIMIT) continue;
    page = pageOf(run, evidence, room);
    if (Buffer.byteLength(page, "utf8") <= REPORT_LIMIT) break;
  }
  return page;
}

const VERDICTS: Readonly<Record<RunRecord["status"], string>> = {
  building: "⏳ building",
  built: "⏳ built, not audited yet",
  audited: "✅ ready to publish after approval",
  approved: "✅ approved, not published yet",
  published: "📦 published",
  failed: "❌ failed, nothing was published",
  rolled_back: "↩️ rolled back",
};

function pageOf(run: RunRecord, evidence: Document, room: Room): string {
  const contract = contractOf(run);
  const verdict = VERDICTS[run.status];
  const sections: readonly (readonly [string, string, string])[] = [
    ["failed", "Failed audits", failedSection(run, room.failures)],
    ["ledger", "Row ledger", ledgerSection(run)],
    ["changes", "What changes", changesSection(run)],
    [
      "audits",
      "All audits",
      run.readings.length === 0 && run.expected.length === 0 ? "" : auditsSection(run, room.readings),
    ],
    ["source", "Source", sourceSection(run)],
    ["plan", "Publication plan", planSection(run)],
    ["history", "Approval and history", historySection(run)],
    ["fingerprints", "Fingerprints", fingerprintsSection(run, evidence.digest)],
    ["evidence", "evidence.json", embeddedSection(evidence, room.embedded)],
  ];
  const shown = sections.filter(([, , body]) => body !== "");
  const commit = shortCommit(run);
  const origin = run.provenance.kind === "github" ? ` · ${htmlText(run.provenance.repository)}` : "";
  return htmlPage(
    `${contract.id}: ${verdict}`,
    [
      `<h1>${htmlText(contract.id)} ${htmlText(contract.version)}: ${verdict}</h1>`,
      `<p class="soft">run <code>${run.runId}</code> · ${htmlText(readableInstant(run.auditedAt ?? run.createdAt))}${origin}${commit === null ? "" : ` · commit ${htmlLink(commit, commitAddress(run))}`}</p>`,
      `<div class="verdict${run.status === "failed" ? " bad" : ""}">${consequences(run)
        .map((text) => `<p>${htmlText(text)}</p>`)
        .join("")}</div>`,
      cards(run),
      `<nav aria-label="Sections">${shown.map(([id, title]) => `<a href="#${id}">${title}</a>`).join("")}</nav>`,
      ...shown.map(([id, title, body]) => `<section id="${id}"><h2>${title}</h2>${body}</section>`),
      closing(run),
    ].join("\n"),
  );
}

/** Verdict, consequence and next step, in words. */
function consequences(run: RunRecord): readonly string[] {
  const gating = gatingReadings(run);
  const passing = `${gating.filter((one) => one.passed).length} of ${run.expected.length} audits pass.`;
  const { target } = run.preflight;
  const still = target.exists
    ? `Readers still see the old version (${grouped(target.rowCount ?? "?")} rows).`
    : "The target does not exist yet: readers see nothing.";
  const approver = approvalOf(run, "publish")?.by ?? "somebody who is not recorded";
  switch (run.status) {
    case "failed":
      return [
        `${passing} ${still} This run cannot be published by anyone.`,
        failureOf(run)?.detail ?? "The run failed.",
      ];
    case "published":
      return [
        `${passing} Approved by ${approver}. Readers have seen ${grouped(run.stageRowCount ?? "?")} rows since ${readableInstant(run.publishedAt ?? run.createdAt)}.${run.current ? "" : " A newer version was published since."}`,
      ];
    case "rolled_back":
      return [
        `Published by ${approver}, rolled back by ${approvalOf(run, "rollback")?.by ?? "somebody who is not recorded"}: readers see ${publicationOf(run, "rollback")?.backing ?? "the version before"} again.`,
      ];
    case "audited":
    case "approved":
      return [`${passing} ${still}`, `Next: /publish ${run.runId} by somebody who may.`];
    case "building":
    case "built":
      return [still];
  }
}

function cards(run: RunRecord): string {
  const before = rowsBefore(run);
  const rows = run.stageRowCount;
  const newest = newestValue(run);
  const waived = waivers(run).length;
  const failed = failedReadings(run).length;
  const keys =
    run.changes === null
      ? null
      : `+${grouped(run.changes.added)} −${grouped(run.changes.removed)} ~${grouped(run.changes.changed)}`;
  const facts: readonly (readonly [string | null, string])[] = [
    [
      rows === null
        ? null
        : run.plan.firstVersion || before === null
          ? grouped(rows)
          : `${grouped(before)} → ${grouped(rows)}`,
      run.plan.firstVersion
        ? "rows, first version"
        : before === null || rows === null
          ? "rows"
          : `rows, ${signed(before, rows)}`,
    ],
    [keys, "keys added, removed, changed"],
    [newest === null ? null : newest.text, `newest ${newest?.column ?? ""}`],
    [run.landing === null ? null : grouped(run.landing.rejected), "records rejected"],
    [
      `${gatingReadings(run).length - failed} of ${run.expected.length}`,
      `audits pass${waived === 0 ? "" : `, ${waived} not applicable`}`,
    ],
    [`${run.plan.strategy} swap`, run.preflight.target.name],
  ];
  const items = facts.flatMap(([value, what]) =>
    value === null ? [] : [`<li><b>${htmlText(value, 80)}</b><span>${htmlText(what, 120)}</span></li>`],
  );
  return `<ul class="cards" id="glance" aria-label="At a glance">${items.join("")}</ul>`;
}

/** The whole document with its hash, so that a mailed report can be checked against evidence.json. */
function embeddedSection({ text, sha256, digest }: Document, embedded: boolean): string {
  const said = `<p>Digest of what an approver decides on: <code>${digest}</code>.</p>`;
  if (!embedded)
    return `${said}<p>The document (${grouped(`${text.length}`)} bytes) is too large to stand here: see evidence.json beside this file.</p>`;
  return `${said}${htmlDetails(
    `the whole document; the text below has the sha256 <code>${sha256}</code>`,
    `<pre><code>${htmlText(text, Number.POSITIVE_INFINITY)}</code></pre>`,
  )}`;
}

function closing(run: RunRecord): string {
  const { database } = run.preflight;
  return `<p class="soft">${htmlText(`${database.name} at ${database.address}, PostgreSQL ${database.version}; built by ${run.builtBy}. Printed from the control tables: nothing here is measured or decided again.`)}</p>`;
}
