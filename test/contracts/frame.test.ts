// The frame around a problem: the place is marked where a terminal shows it, and nothing of the file acts on the terminal.
import { describe, expect, test } from "vitest";
import { codeFrame, plainProblem } from "../../src/contracts/frame.ts";
import type { Problem } from "../../src/domain/errors.ts";

const at = (line: number, column: number, message = "is wrong"): Problem => ({
  path: "contracts/nfl/plays.yml",
  line,
  column,
  severity: "error",
  code: "unknown-key",
  message,
});

describe("codeFrame", () => {
  test("shows the line before, marks the word and says what is wrong", () => {
    const text = `a\n    season_range: {check: range, column: season, min: "1999"}\n    epa_range: {check: range, colum: epa, min: "-20"}\n`;
    const problem = at(3, 31, '"range" has no key "colum"; did you mean "column"?');
    expect(codeFrame(problem, text).split("\n")).toEqual([
      "error[unknown-key]  contracts/nfl/plays.yml:3:31",
      '   2 │     season_range: {check: range, column: season, min: "1999"}',
      ' ▸ 3 │     epa_range: {check: range, colum: epa, min: "-20"}',
      "     │                               ━━━━━",
      '     │ "range" has no key "colum"; did you mean "column"?',
      "   more: wap help unknown-key",
    ]);
  });

  test("a short sentence stands beside the mark", () => {
    expect(codeFrame(at(1, 5), "id: Nfl\n").split("\n")[2]).toBe("     │     ━━━ is wrong");
  });

  test("a wide character takes two columns, a combining mark none, a tab the way to the next stop", () => {
    const lines = codeFrame(at(1, 13), 'id: "日本é": x\n').split("\n");
    expect(lines[1]).toBe(' ▸ 1 │ id: "日本é": x');
    expect(lines[2]).toBe("     │               ━ is wrong");
    expect(codeFrame(at(1, 3), "a\tb: 1\n").split("\n").slice(1, 3)).toEqual([
      " ▸ 1 │ a   b: 1",
      "     │     ━ is wrong",
    ]);
  });

  test("no line is wider than the terminal, and the place stays in sight", () => {
    const long = `    x: {${Array.from({ length: 60 }, (_, index) => `key${index}: ${index}`).join(", ")}, colum: 1}`;
    const column = long.indexOf("colum") + 1;
    const frame = codeFrame(
      at(
        1,
        column,
        "a sentence that is long enough to be wrapped because it does not fit beside the mark at all",
      ),
      long,
    );
    for (const line of frame.split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
    const [, shown = "", mark = ""] = frame.split("\n");
    expect(shown.slice(mark.indexOf("━"), mark.lastIndexOf("━") + 1)).toBe("colum");
    expect(shown).toContain("…");
  });

  test("control characters, escapes and reordering marks are shown as marks", () => {
    const frame = codeFrame(at(1, 1, "bad \u001b[31m\u202e"), "a: \u001b]0;x\u0007\u202e\n");
    expect([...frame].filter((char) => char !== "\n" && /[\p{Cc}\p{Cf}]/u.test(char))).toEqual([]);
  });

  test("a password in a connection string is not shown", () => {
    const frame = codeFrame(at(1, 6), 'url: "postgres://wap:hunter2@db/x"\n');
    expect(frame).not.toContain("hunter2");
    expect(frame).toContain("@db/x");
  });

  test("a place beyond the text still gives the sentence", () => {
    expect(codeFrame(at(9, 1), "a: 1\n")).toContain("is wrong");
  });

  test("a file with a byte order mark and Windows line ends is shown without them", () => {
    expect(codeFrame(at(1, 1), "\ufeffid: x\r\nb: y\r\n").split("\n")[1]).toBe(" ▸ 1 │ id: x");
  });
});

describe("plainProblem", () => {
  test("is one line without drawing characters", () => {
    expect(plainProblem(at(42, 31, "no\nway"))).toBe(
      "contracts/nfl/plays.yml:42:31: error unknown-key: no�way",
    );
  });
});
