// YAML that another tool would read differently is refused; every place is a line and a column.
import { describe, expect, test } from "vitest";
import { brief, codes, GOOD, problemsOf, spoiled } from "./example.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("what a file may be", () => {
  test("the example is right", () => {
    expect(problemsOf(GOOD)).toEqual([]);
  });

  test("a file of more than 256 KiB is refused before it is parsed", () => {
    expect(brief(`${GOOD}#${"x".repeat(256 * 1024)}`)).toEqual(["1:1 error too-large"]);
  });

  test("bytes that are not UTF-8 are refused", () => {
    expect(brief(new Uint8Array([0x63, 0x61, 0x66, 0xe9]))).toEqual(["1:1 error not-utf8"]);
    expect(brief(new Uint8Array([0xff, 0xfe, 0x61, 0x00]))).toEqual(["1:1 error not-utf8"]);
  });

  test("one byte order mark at the start is skipped, one inside the text is an error", () => {
    expect(problemsOf(utf8(`\ufeff${GOOD}`))).toEqual([]);
    expect(problemsOf(`\ufeff${GOOD}`)).toEqual([]);
    expect(codes(spoiled("reason: new feed", 'reason: "new \ufefffeed"'))).toEqual(["bad-character"]);
  });

  test("an empty file, a comment alone and an empty document hold no contract", () => {
    for (const text of ["", "\n\n", "# nothing\n", "---\n", "~\n"])
      expect(codes(text), JSON.stringify(text)).toEqual(["empty-file"]);
  });

  test("a list or a word is not a contract", () => {
    expect(codes("- a\n- b\n")).toContain("not-a-contract");
    expect(codes("hello\n")).toContain("not-a-contract");
  });

  test("a second document is refused where it begins", () => {
    expect(brief(`${GOOD}---\nid: other\n`)).toContain("35:1 error yaml-documents");
  });

  test("%YAML 1.1, which would turn yes into true, is refused", () => {
    expect(brief(`%YAML 1.1\n---\n${GOOD}`)).toEqual(["1:1 error yaml-directive"]);
  });

  test("NUL, other control characters and marks that reorder text are refused at their place", () => {
    expect(brief(spoiled("team: shop", "team: sh\0op"))).toContain("4:26 error bad-character");
    expect(brief(spoiled("team: shop", "team: sh\u202eop"))).toContain("4:26 error bad-character");
    expect(codes(spoiled("refresh: full\n", "refresh: full\r"))).toContain("bad-character");
  });

  test("an escape that stands for NUL or for half a character is refused", () => {
    expect(codes(spoiled('"SE"', '"S\\0E"'))).toEqual(["bad-character"]);
    expect(codes(spoiled('"SE"', '"S\\ud800E"'))).toEqual(["bad-character"]);
    expect(codes(spoiled('"SE"', '"S\\u00c9E"'))).toEqual([]);
  });

  test("Windows line ends are fine", () => {
    expect(problemsOf(GOOD.replaceAll("\n", "\r\n"))).toEqual([]);
  });

  test("text that nests without end is refused, and the process lives on", () => {
    for (const piece of ["[", "{a: ", "- ", "? ", "[a,\n"]) {
      expect(codes(piece.repeat(20_000)), piece).toContain("too-deep");
    }
  });

  test("a map of very many keys is read in time", () => {
    const text = `${GOOD}${Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join("\n")}\n`;
    const started = performance.now();
    expect(problemsOf(text)).toHaveLength(501);
    expect(performance.now() - started).toBeLessThan(8000);
  }, 15_000);
});

describe("what a node may be", () => {
  test("anchors, aliases, tags and merge keys are refused, each at its place", () => {
    expect(codes(spoiled("team: shop", "team: &t shop"))).toEqual(["yaml-anchor"]);
    expect(codes(spoiled("team: shop", "team: *nothing"))).toContain("yaml-alias");
    expect(codes(spoiled("team: shop", "team: !!str shop"))).toEqual(["yaml-tag"]);
    expect(codes(spoiled("team: shop", "team: !custom shop"))).toEqual(["yaml-tag"]);
    expect(codes(spoiled("team: shop", "<<: {team: shop}"))).toContain("yaml-merge");
  });

  test("a key that stands twice is refused at the second place", () => {
    expect(brief(`${GOOD}refresh: full\n`)).toEqual(["34:1 error duplicate-key"]);
    expect(codes(spoiled("min: 1}", "min: 1, min: 2}"))).toEqual(["duplicate-key"]);
  });

  test("__proto__ is an unknown key like any other, in every block", () => {
    expect(codes(`${GOOD}__proto__: {}\n`)).toEqual(["unknown-key"]);
    expect(
      codes(
        spoiled(
          "rows: {check: row_count, min: 1}",
          "rows: {check: row_count, min: 1}\n    __proto__: {check: nonsense}",
        ),
      ),
    ).toEqual(["unknown-key"]);
  });

  test("a list as a key is refused", () => {
    expect(codes(`${GOOD}? [a]\n: 1\n`)).toEqual(["yaml-key"]);
  });

  test("unquoted NO is an error that says to quote it", () => {
    const problems = problemsOf(spoiled('values: ["NO", "SE", "DK"]', "values: [NO, SE, DK]"));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: "quote-it", line: 27, severity: "error" });
    expect(problems[0]?.message).toContain("quotes");
  });

  test("numbers that tools read differently are errors: 0123, 0x1F, 1e3, .5, +7, .inf", () => {
    for (const number of ["0123", "0x1F", "0o17", "1e3", ".5", "5.", "+7", ".inf", ".nan", "-012"]) {
      expect(codes(spoiled('values: ["NO", "SE", "DK"]', `values: [${number}]`)), number).toEqual([
        "number-form",
      ]);
    }
  });

  test("null in a list is an error", () => {
    for (const word of ["null", "~", ""]) {
      expect(
        codes(spoiled('values: ["NO", "SE", "DK"]', `values: ["NO", ${word}, "SE"]`)).length,
        word,
      ).toBeGreaterThan(0);
    }
    expect(codes(spoiled('values: ["NO", "SE", "DK"]', "values: [null]"))).toEqual(["null-in-list"]);
  });

  test("syntax errors are told with their place, together with others", () => {
    expect(
      codes(spoiled("database: {consumer_role: analyst}", "database: {consumer_role: analyst")),
    ).toContain("yaml-syntax");
  });
});
