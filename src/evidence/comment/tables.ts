// The tables that several states of the comment share: before and after, changed columns, audits, verification, conditions.
import type { Reading } from "../../domain/audits/check.ts";
import type { RunRecord } from "../../domain/manifest.ts";
import { grouped, share, signed } from "../../domain/numbers.ts";
import { shortRunId } from "../../domain/run.ts";
import { contractOf, failedReadings } from "../bundle.ts";
import type { ConditionText, ContractView } from "../contract-view.ts";
import { newestValue, rowsBefore, rowsOf, versionBefore } from "../facts.ts";
import { code, firstOf, type Heading, link, plain, sentence, table } from "../markdown.ts";
import { lineAddress } from "../places.ts";

const count = (text: string | null): string => (text === null ? "–" : grouped(text));

/** Target, rows, keys, newest value, columns: before, after, and the difference. `others` may hold the run that readers see. */
export function glance(run: RunRecord, others: readonly RunRecord[] = []): string {
  const { target } = run.preflight;
  const [before, after] = [rowsBefore(run), rowsOf(run)];
  const first = run.plan.firstVersion;
  const rowChange = first ? "first version" : before === null || after === null ? "" : signed(before, after);
  const lines: string[][] = [["rows", count(before), count(after), rowChange]];
  if (run.changes !== null) {
    const { key, added, removed, changed } = run.changes;
    const change = `${grouped(added)} added, ${grouped(removed)} removed, ${grouped(changed)} changed`;
    lines.push([
      `keys (${firstOf(
        key.map((name) => code(name, 100)),
        6,
      )})`,
      "",
      "",
      change,
    ]);
  }
  const newest = newestValue(run);
  if (newest !== null) lines.push([`newest ${code(newest.column, 100)}`, "", plain(newest.text, 100), ""]);
  const columns = `${contractOf(run).target_schema.length}`;
  lines.push(["columns and types", first ? "–" : columns, columns, first ? "first version" : "same"]);
  const head: Heading[] = [
    code(target.name),
    { numbers: publishedHeading(run, others) },
    { numbers: "this run" },
    "change",
  ];
  return table(head, lines);
}

function publishedHeading(run: RunRecord, others: readonly RunRecord[]): string {
  const { exists, currentRun } = run.preflight.target;
  if (!exists) return "not published yet";
  const version = versionBefore(run, others);
  if (version !== null) return `published ${plain(version, 60)}`;
  return currentRun === null ? "published" : `published (run ${code(shortRunId(currentRun))})`;
}

const COLUMNS_SHOWN = 20;

const columnTexts = ({ changes }: RunRecord): readonly string[] => {
  if (changes === null) return [];
  const both = (BigInt(changes.changed) + BigInt(changes.unchanged)).toString();
  return Object.entries(changes.columns).map(
    ([column, changed]) =>
      `${code(column, 100)} ${grouped(changed)} of ${grouped(both)} (${plain(share(changed, both))})`,
  );
};

/** Changed columns, with exact counts over the keys that are on both sides. */
export function changedColumns(run: RunRecord): string {
  if (run.changes === null) return "";
  const texts = columnTexts(run);
  if (texts.length === 0) return "**Changed columns:** none; no value of a key on both sides differs.";
  const more = texts.length > COLUMNS_SHOWN ? ` and ${texts.length - COLUMNS_SHOWN} more` : ". Others: same";
  return `**Changed columns:** ${texts.slice(0, COLUMNS_SHOWN).join(" · ")}${more}.`;
}

/** The columns that `changedColumns` only counts. */
export const furtherColumns = (run: RunRecord): readonly string[] => columnTexts(run).slice(COLUMNS_SHOWN);

export const markOf = (reading: Reading): string =>
  reading.observed.check === "not_applicable" && reading.passed
    ? "➖"
    : reading.passed
      ? "✅"
      : reading.level === "advisory"
        ? "⚠️"
        : "❌";

export const nameOf = ({ clause, name }: Reading): string => code(`${clause}.${name}`);

export const auditTable = (readings: readonly Reading[]): string =>
  table(
    ["", "audit", "expected", "observed"],
    readings.map((one) => [markOf(one), nameOf(one), plain(one.expectation), plain(one.observed.finding)]),
  );

const FAILED_SHOWN = 10;
const FAILED_NAMED = 40;

/** The first ten failed audits in full, the names of the next, and the number of the rest; never cut. */
export function failedTable({ run, lineOf }: ContractView): string {
  const failed = failedReadings(run);
  const rows = failed.slice(0, FAILED_SHOWN).map((one) => {
    const line = lineOf(one);
    const place = line === null ? "–" : link(`line ${line}`, lineAddress(run, line));
    return [nameOf(one), plain(one.expectation), plain(one.observed.finding), place];
  });
  const others = failed.slice(FAILED_SHOWN).map(nameOf);
  const more =
    others.length === 0 ? "" : `\n\n${others.length} more failed audits: ${firstOf(others, FAILED_NAMED)}.`;
  return `${table(["❌ audit", "expected", "observed", "contract"], rows)}${more}`;
}

export const verifiedTable = ({ verification }: RunRecord): string =>
  table(
    ["", "verified", "observed"],
    verification.map((check) => [
      check.passed ? "✅" : "❌",
      plain(check.name, 200),
      plain(check.observed, 400),
    ]),
  );

const MARKS = { yes: "✓", no: "✗", unknown: "cannot know" } as const;

/** The conditions of a decision: ✓, ✗ or that it cannot be known. */
export const conditionTable = (conditions: readonly ConditionText[]): string =>
  table(
    ["", "condition", ""],
    conditions.map((one) => [MARKS[one.verdict], plain(one.name, 200), sentence(one.sentence, 600)]),
  );
