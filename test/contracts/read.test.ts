// A contract file is read whole: the value, or every problem at once with line and column.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readContract } from "../../src/contracts/read.ts";
import { brief, codes, GOOD, problemsOf, spoiled, TODAY } from "./example.ts";

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/contracts/${name}`, import.meta.url), "utf8");

const messageOf = (text: string): string =>
  problemsOf(text)
    .map((problem) => problem.message)
    .join("\n");

describe("the examples of the design", () => {
  test("the play-by-play contract, with the checks of this version, parses without a problem", () => {
    const { contract, problems } = readContract("plays.yml", fixture("plays.yml"), TODAY);
    expect(problems).toEqual([]);
    expect(contract?.id).toBe("nfl.plays");
  });

  test("the play-by-play contract as designed has only parts that are not supported yet", () => {
    expect(brief(fixture("plays-as-designed.yml"))).toEqual([
      "10:9 error not-yet-supported",
      "24:30 error not-yet-supported",
      "25:29 error not-yet-supported",
      "28:34 error not-yet-supported",
      "39:25 error not-yet-supported",
    ]);
  });

  test("the orders contract as designed has only parts that are not supported yet", () => {
    expect(new Set(codes(fixture("orders-as-designed.yml")))).toEqual(new Set(["not-yet-supported"]));
    expect(codes(fixture("orders-as-designed.yml"))).toHaveLength(7);
  });

  test("a timestamptz as in the design is answered with the exact spelling", () => {
    expect(messageOf(spoiled("type: timestamp with time zone", "type: timestamptz"))).toBe(
      "write it as format_type prints it: timestamp with time zone",
    );
  });
});

describe("what comes out", () => {
  const { contract } = readContract("c.yml", GOOD, TODAY);

  test("defaults are written out", () => {
    expect(contract).toMatchObject({
      engine: "postgres",
      database: {
        url_env: "WAP_BUILD_URL",
        approve_url_env: "WAP_APPROVE_URL",
        publish_url_env: "WAP_PUBLISH_URL",
      },
      source: {
        dialect: {
          delimiter: ",",
          quote: '"',
          escape: '"',
          encoding: "utf-8",
          bom: "strip",
          newline: "uniform",
          header: "exact_order",
        },
        nulls: { unquoted_empty: true, quoted_empty: false, tokens: [] },
        limits: { record_bytes: 1_048_576, field_bytes: 262_144, newlines_in_field: 0 },
        rejects: { max: 0 },
        extra_columns: "fail",
        blank_lines: "reject",
      },
      promotion: {
        strategy: "auto",
        retention: { versions: 3, age: "30d", observe_for: "1d" },
        lock_timeout: "5s",
        statement_timeout: "10m",
        indexes: [],
      },
      approval: { merge: false, min: 1, allow_author: false, max_run_age: "7d" },
    });
  });

  test("a bare number keeps its source text, with every digit", () => {
    const text = spoiled("tolerance: {abs: 0}", "tolerance: {abs: 9007199254740993.10}");
    const block = readContract("c.yml", text, TODAY).contract?.clauses.reconciliation;
    expect(block).toMatchObject({ gross_is_net: { tolerance: { abs: "9007199254740993.10" } } });
  });

  test("a bare version such as 1.10 is text", () => {
    expect(readContract("c.yml", spoiled("version: 1.0.0", "version: 1.10"), TODAY).contract?.version).toBe(
      "1.10",
    );
  });

  test("a tab as delimiter is written as an escape", () => {
    const text = spoiled(
      "  path: inbox/orders.csv",
      '  path: inbox/orders.csv\n  dialect: {delimiter: "\\t", quote: none}',
    );
    expect(readContract("c.yml", text, TODAY).contract?.source.dialect).toMatchObject({
      delimiter: "\t",
      quote: "none",
    });
  });

  test("a warning leaves the contract usable", () => {
    const read = readContract(
      "c.yml",
      spoiled("type: timestamp with time zone", "type: timestamp without time zone").replace(
        "at_most: 36h",
        "zone: UTC, at_most: 36h",
      ),
      TODAY,
    );
    expect(read.problems.map((problem) => [problem.severity, problem.code])).toEqual([
      ["warning", "timestamp-without-zone"],
    ]);
    expect(read.contract).not.toBeNull();
  });
});

describe("problems", () => {
  test("an unknown key is pointed at, not its block, and the word that was meant is named", () => {
    expect(brief(spoiled("consumer_role:", "consumer_rol:"))).toEqual([
      "5:1 error missing-key",
      "5:12 error unknown-key",
    ]);
    expect(messageOf(spoiled("column: country", "colum: country"))).toContain(
      '"one_of" has no key "colum"; did you mean "column"?',
    );
    expect(messageOf(spoiled("refresh: full", "refersh: full"))).toContain('did you mean "refresh"?');
    expect(messageOf(spoiled("tolerance: {abs: 0}", "tolerance: {absolute: 0, ab: 0}"))).toContain(
      'did you mean "abs"?',
    );
  });

  test("an unknown check names the one that was meant", () => {
    expect(messageOf(spoiled("check: row_count", "check: rowcount"))).toBe(
      'there is no check "rowcount"; did you mean "row_count"?',
    );
    expect(brief(spoiled("check: row_count", "chekc: row_count"))).toEqual(["21:5 error missing-key"]);
  });

  test("a check of another clause is refused", () => {
    expect(codes(spoiled("check: row_count, min: 1", "check: unique_key, columns: [order_id]"))).toEqual([
      "wrong-clause",
    ]);
  });

  test("every problem of the file is told at once, in the order of the file", () => {
    const text = GOOD.replace("team: shop", "teem: shop")
      .replace("target: mart.orders", "target: orders")
      .replace("type: bigint", "type: bignum")
      .replace("min: 1}", "min: one}")
      .replace("column: country,", "column: contry,");
    expect(brief(text)).toEqual([
      "4:1 error missing-key",
      "4:18 error unknown-key",
      "6:9 error bad-identifier",
      "14:28 error unknown-type",
      "21:35 error bad-value",
      "27:42 error unknown-column",
    ]);
  });

  test("a missing block is told at the start of the file, a missing clause at the block", () => {
    expect(brief(spoiled("target: mart.orders\n", ""))).toEqual(["1:1 error missing-key"]);
    expect(brief(spoiled("  grain:\n    order_key: {check: unique_key, columns: [order_id]}\n", ""))).toEqual(
      ["19:1 error missing-clause"],
    );
  });

  test("an unknown clause is told with the clause that was meant", () => {
    expect(messageOf(spoiled("  volume:", "  volumes:"))).toContain('did you mean "volume"?');
  });

  test("a connection string where a name belongs is refused and never repeated", () => {
    const text = spoiled(
      "{consumer_role: analyst}",
      '{consumer_role: analyst, url_env: "postgres://wap:hunter2@db/x"}',
    );
    expect(codes(text)).toEqual(["bad-value"]);
    expect(JSON.stringify(problemsOf(text))).not.toContain("hunter2");
  });

  test("a path may not be absolute and may not leave the repository", () => {
    for (const path of [
      "/etc/passwd",
      "../x.csv",
      "a/../../x.csv",
      "C:/x.csv",
      "a\\\\b.csv",
      "~/x.csv",
      "./x.csv",
      "a//b.csv",
      ".git/config",
    ]) {
      expect(codes(spoiled("inbox/orders.csv", `"${path}"`)), path).toEqual(["bad-path"]);
      expect(codes(spoiled("transforms/orders.sql", `"${path}"`)), path).toEqual(["bad-path"]);
    }
  });

  test("text of the file cannot bring control characters into a message", () => {
    const text = spoiled('"NO", "SE"', '"NO", "SE"').replace("check: row_count", 'check: "row\\u001b[31m"');
    expect(messageOf(text)).not.toContain("\u001b");
    expect(codes(text)).toEqual(["unknown-check"]);
  });
});

describe("positions", () => {
  const { positionOf } = readContract("c.yml", GOOD, TODAY);

  test("an assertion is found at its name", () => {
    expect(positionOf(["clauses", "volume", "rows"])).toEqual({ line: 21, column: 5 });
    expect(positionOf(["clauses", "known_quirks", "not_applicable"])).toEqual({ line: 33, column: 5 });
  });

  test("what does not stand in the file is found at the nearest block that does", () => {
    expect(positionOf(["clauses", "bounds", "schema_exact"])).toEqual({ line: 26, column: 3 });
    expect(positionOf(["nowhere"])).toEqual({ line: 1, column: 1 });
  });

  test("columns count the characters of the line, not its bytes", () => {
    const text = spoiled("team: shop", "team: Käse").replace(
      'approvers: ["@acme/shop"',
      'approvers: ["acme"',
    );
    expect(brief(text)).toEqual(["4:42 error bad-value"]);
  });

  test("Windows line ends do not move positions", () => {
    const crlf = readContract("c.yml", GOOD.replaceAll("\n", "\r\n"), TODAY);
    expect(crlf.positionOf(["clauses", "volume", "rows"])).toEqual({ line: 21, column: 5 });
  });
});

describe("any text whatsoever", () => {
  const words = fc.constantFrom(
    "wap_contract: 1\n",
    "clauses:\n",
    "  volume:\n",
    "{",
    "}",
    "[",
    "]",
    ", ",
    ": ",
    "- ",
    "? ",
    "| \n",
    "> \n",
    "&a ",
    "*a ",
    "!t ",
    "%YAML 1.1\n",
    "---\n",
    "...\n",
    "\t",
    "\r",
    "\0",
    "\u2028",
    "\ud800",
    "é",
    "👍",
    '"',
    "'",
    "#",
    "\\",
    "null",
    "NO",
    "0x1",
    "<<",
    "__proto__",
    "constructor",
    "check",
    "range",
    "    ",
    "\n",
  );

  test("gives a contract or at least one problem, and never throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(words, { maxLength: 40 }).map((pieces) => pieces.join("")),
        ),
        (text) => {
          const read = readContract("c.yml", text, TODAY);
          expect(read.contract === null).toBe(read.problems.some((problem) => problem.severity === "error"));
          for (const problem of read.problems) {
            expect(problem.line).toBeGreaterThanOrEqual(1);
            expect(problem.column).toBeGreaterThanOrEqual(1);
            expect(problem.message).not.toBe("");
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("so does any sequence of bytes", () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => problemsOf(bytes).length > 0));
  });

  test("a good contract with one piece cut out or put in never throws", () => {
    fc.assert(
      fc.property(
        fc.nat(GOOD.length),
        fc.nat(20),
        fc.oneof(words, fc.string({ maxLength: 5 })),
        (at, cut, piece) => {
          const read = readContract("c.yml", GOOD.slice(0, at) + piece + GOOD.slice(at + cut), TODAY);
          expect(read.contract === null).toBe(read.problems.some((problem) => problem.severity === "error"));
        },
      ),
      { numRuns: 1500 },
    );
  });
});
