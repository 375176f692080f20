// The lines of the command line: few, narrow, without a colour of their own (design: ux 4).
import { describe, expect, test } from "vitest";
import {
  auditLines,
  planLines,
  runTable,
  type Style,
  showLines,
  stateLines,
} from "../../src/evidence/terminal.ts";
import { columnsOf, middle, wrapped } from "../../src/evidence/terminal-width.ts";
import {
  failed,
  firstVersion,
  lineOf,
  passed,
  previous,
  published,
  RUN,
  rolledBack,
  stopped,
  unverified,
} from "./examples.ts";

const unstyled: Style = (_, text) => text;
const marked: Style = (kind, text) => `<${kind}>${text}</${kind}>`;
const line = (name: string): number | null => {
  const reading = failed.readings.find((one) => one.name === name);
  return reading === undefined ? null : lineOf(reading);
};

describe("the terminal", () => {
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ["audit, passed", auditLines(passed, { style: unstyled, plain: false, lineOf: line })],
    ["audit, failed", auditLines(failed, { style: unstyled, plain: true, lineOf: line })],
    ["audit, stopped", auditLines(stopped, { style: unstyled, plain: false, lineOf: line })],
    ["published", stateLines(published, unstyled)],
    ["rolled back", stateLines(rolledBack, unstyled)],
    ["show", showLines(rolledBack, unstyled)],
    [
      "runs",
      runTable(
        [published, previous, failed, { ...passed, stageRowCount: "9999999" }],
        new Date("2026-11-26T09:00:00Z"),
      ),
    ],
    ["plan", planLines("nfl.plays", passed.preflight, passed.plan)],
  ];

  test.each(lines)(
    "%s: no line is wider than 80 columns, but for a word that has to be copied whole",
    (_, shown) => {
      const wide = shown.filter((one) => columnsOf(one) > 80 && !/\S{38,}|← readers see this/.test(one));
      expect(wide).toEqual([]);
      expect(shown.every((one) => !/\n/.test(one))).toBe(true);
    },
  );

  test("audit: what failed, what was found and wanted, where it stands, and the next command", () => {
    const [, shown] = lines[1] ?? [];
    expect(shown?.slice(0, 5)).toEqual([
      "  failed conservation.row_ledger",
      "      found  48512 landed = 48187 staged + 300 excluded.deleted_play + 12",
      "             excluded.timeout_row + 13 unexplained",
      "      wanted landed = staged + excluded.deleted_play + excluded.timeout_row",
      `      at     contracts/nfl/plays.yml:${line("row_ledger")}`,
    ]);
    expect(shown?.slice(-4)).toEqual([
      `FAILED  run ${RUN} (audit_failed)`,
      "        3 of 11 audits say no: row_ledger, epa_range, pass_equals_receive;",
      "        readers still see the old version (47\u202f940 rows).",
      `  next: wap show ${RUN} --html report.html`,
    ]);
  });

  test("publish: since when, how long readers waited, what was verified, how to undo it", () => {
    expect(stateLines(published, unstyled)).toEqual([
      "PUBLISHED  nfl.plays 3.1.0",
      "           analytics.nfl_plays has 48\u202f187 rows since 26 Nov 2026, 07:02:11 UTC;",
      "           readers waited at most 41 ms.",
      "  ok     version: analytics.nfl_plays shows",
      `         ${published.stageName}`,
      "  ok     rows as analyst: 48187 rows, 48187 audited",
      "  ok     content as analyst: equal to what was audited",
      "  ok     owner, grants, options, comments: equal to the publication's",
      `  undo: wap rollback ${RUN} --ref URL`,
    ]);
    expect(stateLines(unverified, unstyled).join("\n")).toContain("NOT OK content as analyst");
  });

  test("a first version has nothing to undo, and what readers see before it is nothing", () => {
    expect(stateLines({ ...published, rollbackName: null }, unstyled).join("\n")).not.toContain("undo");
    expect(auditLines(firstVersion, { style: unstyled, plain: false, lineOf: line }).join("\n")).toContain(
      "readers see nothing of it",
    );
  });

  test("runs: one line each, the one that readers see marked", () => {
    const [first, second] = runTable([published, previous], new Date("2026-11-26T09:10:02Z"));
    expect(first).toBe(`${RUN} published   nfl.plays          48\u202f187   3 h  ← readers see this`);
    expect(second).toMatch(/47\u202f940 {3}7 d$/);
    expect(runTable([], new Date())).toEqual(["no runs"]);
  });

  test("style is whose it is: every colour comes from the object that is handed in", () => {
    const all = [
      ...auditLines(failed, { style: marked, plain: false, lineOf: line }),
      ...showLines(published, marked),
    ].join("\n");
    expect(all).toContain("<bad>✗</bad>");
    expect(all).toContain("<good>pass</good>");
    expect(all).not.toContain("\u001b");
  });

  test("lines break at spaces, wide characters count twice, names shorten in the middle", () => {
    expect(wrapped("aa bb cc", "> ", 7)).toEqual(["> aa bb", "> cc"]);
    expect(wrapped("漢字 漢字", "", 8)).toEqual(["漢字", "漢字"]);
    expect(wrapped("a-very-long-word b", "", 5)).toEqual(["a-very-long-word", "b"]);
    expect([middle("analytics.plays", 15), middle("analytics.nfl_plays", 10)]).toEqual([
      "analytics.plays",
      "analy…lays",
    ]);
  });
});
