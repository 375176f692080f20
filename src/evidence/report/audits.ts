// The report's sections on audits: what failed, open and first; then every reading, by clause, with a filter that needs no script.
import type { Reading } from "../../domain/audits/check.ts";
import { CLAUSES } from "../../domain/clauses.ts";
import type { RunRecord } from "../../domain/manifest.ts";
import { grouped } from "../../domain/numbers.ts";
import { failedReadings } from "../bundle.ts";
import { clipped } from "../escape.ts";
import { countsOf, unread } from "../facts.ts";
import { type Cell, htmlDetails, htmlFacts, htmlHead, htmlRow, htmlTable, htmlText } from "../html-page.ts";

/** One block a failed audit, at most `limit`, all open: expected, observed, everything that was measured. */
export function failedSection(run: RunRecord, limit: number): string {
  const failed = failedReadings(run);
  const shown = failed.slice(0, limit).map(failureHtml);
  const more = failed.length - shown.length;
  return `${shown.join("")}${more > 0 ? `<p>${more} more audits failed; they stand among all audits below, and in evidence.json.</p>` : ""}`;
}

function failureHtml(reading: Reading): string {
  const { clause, name, expectation, observed } = reading;
  const facts: (readonly [string, Cell])[] = [
    ["expected", expectation],
    ["observed", observed.finding],
    ...(observed.error === null ? [] : [["could not be measured", observed.error] as const]),
    ...countsOf(reading).map(([what, count]) => [what, { number: grouped(count) }] as const),
    ...Object.entries(observed.measured)
      .slice(0, 40)
      .map(([what, value]) => [what, cellOf(value)] as const),
    ...(observed.sql_sha256 === null ? [] : [["sha256 of the statement", observed.sql_sha256] as const]),
  ];
  return htmlDetails(
    `${htmlText(`${clause}.${name}`)}: ${htmlText(observed.finding, 300)}`,
    `${htmlFacts(facts)}${sampleHtml(observed.sample)}`,
    true,
    "failure",
  );
}

const cellOf = (value: string | null): Cell => {
  if (value === null) return { html: '<span class="soft">null</span>' };
  if (value === "") return { html: '<span class="soft">empty text</span>' };
  return /^-?\d+(\.\d+)?$/.test(value) ? { number: grouped(value) } : clipped(value, 120);
};

function sampleHtml(sample: Reading["observed"]["sample"]): string {
  if (sample === null) return '<p class="soft">No example values: the contract asks for none.</p>';
  const columns = [...new Set(sample.flatMap((row) => Object.keys(row)))].slice(0, 12);
  const rows = sample.slice(0, 20).map((row) => columns.map((name) => cellOf(row[name] ?? null)));
  return `<p>Examples, only of the columns that the contract shows:</p>${htmlTable(columns, rows)}`;
}

const HEAD: readonly Cell[] = [
  "",
  "audit",
  "expected",
  "observed",
  { number: "rows tested" },
  { number: "violations" },
  { number: "ms" },
];

const kindOf = (reading: Reading): "passed" | "failed" | "advisory" | "waived" => {
  if (reading.observed.check === "not_applicable" && reading.passed) return "waived";
  if (reading.level === "advisory") return "advisory";
  return reading.passed ? "passed" : "failed";
};

const wordOf = (reading: Reading): string => {
  const kind = kindOf(reading);
  if (kind === "waived") return "➖ n/a";
  if (kind === "advisory") return reading.passed ? "✅ advisory" : "⚠️ advisory";
  return kind === "passed" ? "✅ pass" : "❌ fail";
};

/** Every reading, at most `limit` of them; failed ones are never the ones that are left out. */
export function auditsSection(run: RunRecord, limit: number): string {
  const readings =
    run.readings.length <= limit
      ? run.readings
      : run.readings.toSorted((a, b) => Number(a.passed) - Number(b.passed)).slice(0, limit);
  const groups = CLAUSES.map((clause) => [clause, readings.filter((one) => one.clause === clause)] as const);
  const bodies = groups
    .filter(([, ones]) => ones.length > 0)
    .map(
      ([clause, ones]) =>
        `<tbody><tr><th class="group" colspan="${HEAD.length}" scope="rowgroup">${htmlText(clause)}</th></tr>${ones.map(readingRow).join("")}</tbody>`,
    );
  const missing = unread(run);
  const unreadText =
    missing.length === 0
      ? ""
      : `<p>❌ ${missing.length} declared audits have no reading, which is no pass: ${htmlText(missing.join(", "))}.</p>`;
  const cut = run.readings.length - readings.length;
  const note =
    cut === 0 ? "" : `<p>${cut} more readings are left out here for size; all stand in evidence.json.</p>`;
  return `${unreadText}${filterHtml(run.readings)}<div class="scroll wide"><table>${htmlHead(HEAD)}${bodies.join("")}</table></div>${note}`;
}

const readingRow = (reading: Reading): string =>
  htmlRow(
    [
      { html: `<span class="nowrap">${wordOf(reading)}</span>` },
      { html: `<code>${htmlText(reading.name)}</code>` },
      reading.expectation,
      reading.observed.finding,
      { number: grouped(reading.observed.rows_tested ?? "–") },
      { number: grouped(reading.observed.violations ?? "–") },
      { number: grouped(`${Math.round(reading.observed.ms)}`) },
    ],
    `reading ${kindOf(reading)}`,
  );

function filterHtml(readings: readonly Reading[]): string {
  const number = (kind: string): number => readings.filter((one) => kindOf(one) === kind).length;
  const choices = [
    ["all", "all", readings.length],
    ["failed", "failed", number("failed")],
    ["advisory", "advisory", number("advisory")],
    ["waived", "not applicable", number("waived")],
  ] as const;
  const inputs = choices.map(
    ([value, word, n]) =>
      `<label><input type="radio" name="show" value="${value}"${value === "all" ? " checked" : ""}> ${word} (${n})</label>`,
  );
  return `<fieldset class="filter"><legend>Show</legend>${inputs.join("")}</fieldset>`;
}
