// The folded parts of the comment: all audits, the ledger, what publishing does, earlier runs. Each may be cut; the cut says so.
import type { Reading } from "../../domain/audits/check.ts";
import type { RunRecord } from "../../domain/manifest.ts";
import { grouped, readableBytes, readableDay, readableMs } from "../../domain/numbers.ts";
import { shortRunId } from "../../domain/run.ts";
import { type Part, RANK } from "../budget.ts";
import { advisoryFailures, failedReadings } from "../bundle.ts";
import type { ContractView } from "../contract-view.ts";
import { countsOf, waivers } from "../facts.ts";
import { code, details, firstOf, handle, plain, sentence, table } from "../markdown.ts";
import { shortCommit } from "../places.ts";
import { auditTable, furtherColumns, nameOf } from "./tables.ts";

const NOTES_SHOWN = 5;

/** Advisory readings that say no, and clauses that were waived: always shown, never folded. */
export function notes(run: RunRecord): string {
  const advisory = advisoryFailures(run).map(
    (one) =>
      `⚠️ advisory ${nameOf(one)}: ${plain(one.observed.finding, 400)} (expected: ${plain(one.expectation, 300)})`,
  );
  const waived = waivers(run).map(([clause, { reason, approved_by, expires }]) => {
    const until = expires === undefined ? "" : ` until ${readableDay(expires)}`;
    return `⚠️ ${code(clause)} not applicable${until}, says ${handle(approved_by)}: ${plain(reason, 400)}`;
  });
  const said = [...(advisory.length === 0 ? [] : [firstOf(advisory, NOTES_SHOWN, " · ")]), ...waived];
  return said.length === 0 ? "" : `**Notes:** ${said.join(" · ")}`;
}

/** What each failed audit measured, the first one open; example values only where the contract asks for them. */
export function failureParts(run: RunRecord): Part[] {
  return failedReadings(run)
    .slice(0, 10)
    .flatMap((one, n): Part[] => {
      const body = [
        failureBody(one),
        one.observed.sample === null ? "No example values: the contract asks for none." : "",
      ];
      const text = details(
        `What ${nameOf(one)} measured`,
        body.filter((part) => part !== "").join("\n\n"),
        n === 0,
      );
      return [
        { text, sacrifice: `what ${nameOf(one)} measured`, rank: RANK.failing },
        ...(one.observed.sample === null || one.observed.sample.length === 0
          ? []
          : [samplePart(one, one.observed.sample)]),
      ];
    });
}

function failureBody({ observed, ...reading }: Reading): string {
  // Noughts say nothing here, but for what was tested and what was violated.
  const counts = countsOf({ observed, ...reading })
    .filter(([name, value]) => value !== "0" || name === "violations" || name === "rows tested")
    .map(([name, value]) => [name, grouped(value)]);
  const values = Object.entries(observed.measured).map(([name, value]) => [code(name, 100), cell(value)]);
  const rows = [...counts, ...values.slice(0, 20)];
  const error = observed.error === null ? "" : `It could not be measured: ${plain(observed.error)}`;
  return [error, table(["measured", { numbers: "value" }], rows)].filter((text) => text !== "").join("\n\n");
}

/** A cell of the data: nothing and the empty text are told apart (design: ux 1.11). */
const cell = (value: string | null): string =>
  value === null
    ? "_null_"
    : value === ""
      ? "_empty_"
      : /^-?\d+(\.\d+)?$/.test(value)
        ? grouped(value)
        : code(value, 200);

const SAMPLE_COLUMNS = 12;

function samplePart(reading: Reading, sample: NonNullable<Reading["observed"]["sample"]>): Part {
  const columns = [...new Set(sample.flatMap((row) => Object.keys(row)))].slice(0, SAMPLE_COLUMNS);
  const rows = sample.slice(0, 20).map((row) => columns.map((name) => cell(row[name] ?? null)));
  const shown = `${rows.length} of ${grouped(reading.observed.violations ?? `${sample.length}`)} violations, as the contract's \`sample\` allows:`;
  const body = `${shown}\n\n${table(
    columns.map((name) => code(name, 100)),
    rows,
  )}`;
  return {
    text: details(`Examples from ${nameOf(reading)}`, body),
    sacrifice: `examples from ${nameOf(reading)}`,
    rank: RANK.samples,
  };
}

/** Columns after the twentieth. */
export function columnsPart(run: RunRecord): Part[] {
  const further = furtherColumns(run);
  if (further.length === 0) return [];
  const title = `${further.length} more changed columns`;
  return [{ text: details(title, further.join(" · ")), sacrifice: title, rank: RANK.columns }];
}

/** Every reading, or those that pass where others failed. */
export function auditsPart(run: RunRecord): Part[] {
  const failed = failedReadings(run).length > 0;
  const shown = failed ? run.readings.filter((one) => one.passed || one.level === "advisory") : run.readings;
  if (shown.length === 0) return [];
  const passing = shown.filter((one) => one.passed).length;
  const title = failed ? `${passing} audits that pass` : `All ${shown.length} audits`;
  return [{ text: details(title, auditTable(shown)), sacrifice: title, rank: RANK.passing }];
}

/** Where the records went, and what was delivered. Open where a conservation audit failed. */
export function ledgerPart(run: RunRecord): Part[] {
  const { landing } = run;
  if (landing === null) return [];
  const delivered = `${grouped(landing.parsed)} parsed = ${grouped(landing.landed)} landed + ${grouped(landing.rejected)} rejected`;
  const equations = run.readings.filter((one) => one.observed.check === "equation");
  const lines = [
    delivered,
    ...equations.map(
      (one) => `${one.passed ? "✅" : "❌"} ${nameOf(one)}: ${equationText(one.observed.finding)}`,
    ),
    ...Object.entries(run.excluded).map(([reason, rows]) => `left out as ${code(reason)}: ${grouped(rows)}`),
    ...Object.entries(landing.rejectReasons).map(
      ([reason, rows]) => `rejected as ${code(reason)}: ${grouped(rows)}`,
    ),
  ];
  const source = `Source ${code(run.sourceRef)}, ${readableBytes(Number(landing.bytes))}, sha256 ${code(run.sourceFingerprint)}`;
  const open = equations.some((one) => !one.passed && one.level === "gate");
  const body = `${lines
    .slice(0, 60)
    .map((line) => `- ${line}`)
    .join("\n")}\n\n${source}`;
  return [
    { text: details(`Row ledger: ${delivered}`, body, open), sacrifice: "the row ledger", rank: RANK.ledger },
  ];
}

/** The unexplained term in bold; its numbers grouped. */
const equationText = (finding: string): string =>
  plain(finding.replace(/\d{4,}/g, grouped)).replace(/([+-]|−) (\S+) unexplained/, "$1 **$2 unexplained**");

/** What publishing does and how to undo it: steps, locks, limits, retention (specification 7). */
export function planPart(run: RunRecord): Part[] {
  const { plan } = run;
  const rollback =
    plan.rollbackName === null
      ? "none, this is the first version"
      : `${code(plan.rollbackName)}, by ${code(`/rollback ${run.runId}`)}`;
  const body = [
    sentence(plan.reason),
    plan.steps
      .slice(0, 30)
      .map((step, n) => `${n + 1}. ${sentence(step)}`)
      .join("\n"),
    `Locks: ${plan.locks
      .slice(0, 20)
      .map((lock) => sentence(lock, 400))
      .join(
        "; ",
      )}. Lock limit ${readableMs(plan.lockTimeoutMs)}, statement limit ${readableMs(plan.statementTimeoutMs)}.`,
    `To undo: ${rollback}. Kept: at least ${plan.retention.versions} versions and ${plain(plan.retention.age)}.`,
    `Depends on the target: ${
      run.preflight.target.dependents.length === 0
        ? "nothing"
        : firstOf(
            run.preflight.target.dependents.map((one) => code(one)),
            10,
          )
    }.`,
  ].join("\n\n");
  return [
    {
      text: details(`What publishing does (${plan.strategy} swap) and how to undo it`, body),
      sacrifice: "the publication plan",
      rank: RANK.plan,
    },
  ];
}

const STATUS_MARKS = {
  audited: "✅",
  approved: "✅",
  published: "📦",
  failed: "❌",
  rolled_back: "↩️",
  building: "⏳",
  built: "⏳",
} as const;

/** The sequence of runs here: an edit in place is easily missed (design: ux 1.9). */
export function historyPart({ run, history }: ContractView): Part[] {
  if (history.length < 2) return [];
  const newest = history.slice(0, 12).toReversed();
  const sequence = newest.map(
    (one) =>
      `${STATUS_MARKS[one.status]} ${code(shortCommit(one) ?? shortRunId(one.runId))}${one.runId === run.runId ? " (this)" : ""}`,
  );
  const earlier = history.length > newest.length ? `${history.length - newest.length} earlier → ` : "";
  return [
    { text: `Runs here: ${earlier}${sequence.join(" → ")}`, sacrifice: "earlier runs", rank: RANK.history },
  ];
}
