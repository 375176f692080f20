// GitHub's limits: what is cut, in which order, and what never is (github R25, R26; design: ux 1.10; safety E5).
import { describe, expect, test } from "vitest";
import type { Reading } from "../../src/domain/audits/check.ts";
import type { RunRecord } from "../../src/domain/manifest.ts";
import { always, COMMENT_LIMIT, joinWithin, SUMMARY_LIMIT } from "../../src/evidence/budget.ts";
import { evidenceDigest } from "../../src/evidence/bundle.ts";
import { checkOutput } from "../../src/evidence/check-output.ts";
import { evidenceComment, markerOf } from "../../src/evidence/comment.ts";
import { refusedReply, statusReply, whichRunReply } from "../../src/evidence/replies.ts";
import { REPORT_LIMIT, reportHtml } from "../../src/evidence/report.ts";
import { jobSummary } from "../../src/evidence/summary.ts";
import { failed, lineOf, passed, renamed, viewOf } from "./examples.ts";

const MARKER = markerOf("acme/nfl", 412);
const EMOJI = "😀".repeat(2_000);

const [base] = failed.readings.filter((one) => !one.passed);
if (base === undefined) throw new Error("the example has a failed audit");
/** Failed audits; the first thirty as long as asked for and with examples, the others short, or no machine could hold them. */
const many = (
  count: number,
  { finding = base.observed.finding, ...rest }: Partial<Reading> & { readonly finding?: string },
): readonly Reading[] =>
  Array.from({ length: count }, (_, n) => {
    const isLong = n < 30;
    const sample = isLong ? Array.from({ length: 20 }, () => ({ "😀|`": finding, b: null })) : null;
    return {
      ...base,
      ...rest,
      name: `audit_${n}`,
      observed: { ...base.observed, finding: isLong ? finding : finding.slice(0, 200), sample },
    };
  });
const withReadings = (run: RunRecord, readings: readonly Reading[]): RunRecord => ({
  ...run,
  readings,
  expected: readings.map((one) => one.name),
});

const flood = withReadings(failed, many(10_000, { finding: EMOJI, expectation: "😀".repeat(200) }));

/** Whatever stands in it, a comment is whole: nothing is left open. */
function expectWhole(body: string, limit: number): void {
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(limit);
  expect(body.length).toBeLessThanOrEqual(limit);
  expect(body.isWellFormed()).toBe(true);
  expect(body.match(/<details/g)?.length ?? 0).toBe(body.match(/<\/details>/g)?.length ?? 0);
  expect((body.match(/^(?:> )?```$/gm)?.length ?? 0) % 2).toBe(0);
}

describe("a comment with 10 000 failed audits and four-byte characters", () => {
  const body = evidenceComment([viewOf(flood)], [], MARKER);

  test("fits, and keeps verdict, run, digest, the first failed audits and the marker", () => {
    expectWhole(body, COMMENT_LIMIT);
    expect(body.split("\n")[0]).toBe("### ❌ nfl.plays: 10000 of 10000 audits failed, nothing was published");
    expect(body).toContain(flood.runId);
    expect(body).toContain(evidenceDigest(flood));
    for (let n = 0; n < 10; n += 1) expect(body).toContain(`audit_${n}\``);
    expect(body.endsWith(MARKER)).toBe(true);
  });

  test("says what was left out, and where the whole is", () => {
    expect(body).toContain("9990 more failed audits: ");
    expect(body).toMatch(
      /\*\*Left out here\*\* for GitHub's size limit: .*examples from .*The whole is in the evidence files/,
    );
    expect(body).toMatch(/\(\d+ more characters\)/);
  });
});

test("a comment of a run that passes keeps its command, whatever is cut", () => {
  const readings = many(10_000, { passed: true, finding: EMOJI, expectation: "|`@lena`|".repeat(100) });
  const run = withReadings(passed, readings);
  const body = evidenceComment(
    [viewOf(run, { whoMay: Array.from({ length: 5_000 }, (_, n) => `@person-${n}`) })],
    [],
    MARKER,
  );
  expectWhole(body, COMMENT_LIMIT);
  expect(body).toContain(`> /publish ${run.runId}\n> \`\`\``);
  expect(body).toContain("and 4990 more, except `rosa` (author)");
  expect(body).toContain("All 10000 audits");
  expect(body).toMatch(/Left out here.*: All 10000 audits/);
});

test("parts go in the agreed order: examples, audits that pass, columns after the twentieth, the ledger", () => {
  const columns = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`column_${n}`, "1"]));
  const changes = passed.changes === null ? null : { ...passed.changes, columns };
  const readings = [
    ...many(3, {}),
    ...many(40, { passed: true, expectation: "x".repeat(900) }).map((one, n) => ({
      ...one,
      name: `good_${n}`,
    })),
  ];
  const run = withReadings({ ...failed, changes }, readings);
  const body = evidenceComment([viewOf(run)], [], MARKER);
  expectWhole(body, COMMENT_LIMIT);
  const cut = /size limit: (.*)\. The whole/.exec(body)?.[1] ?? "";
  expect(cut).toMatch(
    /^examples from .*, examples from .*, examples from .*, 40 audits that pass, 1480 more changed columns$/,
  );
  expect(body).toContain("Row ledger: ");
  expect(body).toContain("and 1480 more.");
});

describe("hundreds of contracts", () => {
  const id = (n: number): string => `3f0c2a9e-5b1d-4c6e-9f0a-${n.toString(16).padStart(12, "0")}`;
  const views = Array.from({ length: 400 }, (_, n) =>
    viewOf(renamed(n % 50 === 0 ? failed : passed, `team.table_${n}`, id(n))),
  );

  test("fit into a comment: those that were stopped first, and the others counted", () => {
    const body = evidenceComment(views, [], MARKER);
    expectWhole(body, COMMENT_LIMIT);
    expect(body.split("\n")[0]).toBe("### ❌ 400 tables: 392 ready, 8 stopped");
    expect(body.indexOf("team.table_350")).toBeLessThan(body.indexOf("team.table_1`"));
    expect(body).toContain("300 more contracts, 0 of them stopped");
    expect(body).toContain(`/publish ${id(1)}`);
    expect(body.endsWith(MARKER)).toBe(true);
  });

  test("keep more of themselves in a job summary, which fits as well", () => {
    const summary = jobSummary(views, []);
    expectWhole(summary, SUMMARY_LIMIT);
    expect(summary.length).toBeGreaterThan(COMMENT_LIMIT);
    expect(jobSummary([viewOf(flood)], [])).toContain(evidenceDigest(flood));
    expectWhole(jobSummary([viewOf(flood)], []), SUMMARY_LIMIT);
  });
});

test("joining keeps the first part and the tail even where nothing fits", () => {
  const text = joinWithin([always("# title"), always("b".repeat(500)), always("c".repeat(500))], "tail", 400);
  expect(text).toMatch(/^# title\n\n\*\*Left out here\*\*.*what follows.*\n\ntail$/);
  const tiny = joinWithin([always("😀".repeat(500))], "tail", 200);
  expect(Buffer.byteLength(tiny)).toBeLessThanOrEqual(200);
  expect(tiny).toMatch(/^(?:😀)+\n\n_Cut here for GitHub's size limit\._\n\ntail$/u);
});

test("a check's texts fit, and its annotations are few enough for two requests and one more", () => {
  const check = checkOutput(flood, lineOf);
  expectWhole(check.summary, 65_535);
  expect(check.title.length).toBeLessThanOrEqual(255);
  expect(check.annotations).toHaveLength(101);
  expect(check.annotations.at(-1)?.message).toContain("9900 more audits failed");
  for (const { title, message } of check.annotations) {
    expect(title.length).toBeLessThanOrEqual(255);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(64 * 1024);
  }
});

test("replies fit", () => {
  const long = { name: EMOJI, verdict: "no", sentence: EMOJI } as const;
  expectWhole(
    refusedReply(
      { code: "contract_changed", message: EMOJI, next: "`x` ".repeat(3_000) },
      Array(300).fill(long),
    ),
    COMMENT_LIMIT,
  );
  expectWhole(statusReply(Array(1_000).fill(passed), Array(300).fill(long)), COMMENT_LIMIT);
  expect(statusReply(Array(1_000).fill(passed))).toContain("980 older runs are not listed.");
  expectWhole(whichRunReply(Array(1_000).fill(passed)), COMMENT_LIMIT);
});

test("a report has at most 250 kB, keeps what failed, and says what it left out", () => {
  const report = reportHtml(flood);
  expect(Buffer.byteLength(report)).toBeLessThanOrEqual(REPORT_LIMIT);
  expect(report).toContain("audit_0");
  expect(report).toMatch(/\d+ more readings are left out here for size; all stand in evidence\.json/);
  expect(report).toContain("is too large to stand here");
  expect(report).toContain(evidenceDigest(flood));
  expect(report.trimEnd().endsWith("</html>")).toBe(true);
});
