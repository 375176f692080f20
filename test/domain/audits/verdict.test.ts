// What a check concludes from numbers alone: nothing passes by accident.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Measurement } from "../../../src/domain/audits/check.ts";
import { MEASURED_KEYS, unheededKey } from "../../../src/domain/audits/define-check.ts";
import { CHECKS, checkNamed } from "../../../src/domain/audits/index.ts";
import { parseReferencedColumn } from "../../../src/domain/audits/references.ts";
import { boundsText, judgeBounds } from "../../../src/domain/audits/verdict.ts";

const NOTHING: Measurement = {
  measured: {},
  violations: null,
  rowsTested: null,
  nullCount: null,
  nonFiniteCount: null,
  groupsMissing: null,
  sample: null,
};

/** An assertion of every check, the smallest that its schema takes. */
const SMALLEST: Readonly<Record<keyof typeof CHECKS, Readonly<Record<string, unknown>>>> = {
  row_count: { min: 1 },
  unique_key: { columns: ["id"] },
  equation: { left: "landed", right: ["staged"] },
  traceable: { raw_key: ["id"] },
  parses: { columns: "all" },
  range: { column: "v", min: 0 },
  one_of: { column: "v", values: ["A"] },
  matches: { column: "v", pattern: "A" },
  null_rate: { column: "v", max: "0.1" },
  row_rule: { expr: "v > 0" },
  references: { column: "v", to: "ref.t.v" },
  schema_exact: {},
  balance: { left: { from: "raw", count: true }, right: { value: 1 } },
  max_age: { column: "v", at_most: "1d" },
  no_future: { column: "v" },
  count: { where: "v > 0", rows: { max: 1 } },
  custom_sql: { file: "a.sql", returns: "failing_rows" },
  quirk: { why: "w", expect: { check: "row_count", min: 1 } },
  not_applicable: { reason: "r", approved_by: "@lena", expires: "2026-01-01" },
};
const assertionOf = (name: string) => ({
  check: name,
  ...Object.entries(SMALLEST).find(([key]) => key === name)?.[1],
});

describe.each(Object.keys(CHECKS))("%s", (name) => {
  const check = checkNamed(name);
  if (check === undefined) throw new Error(`no check ${name}`);

  test("does not pass on a measurement that measured nothing", () => {
    expect(check.judge(assertionOf(name), NOTHING).verdict).not.toBe("pass");
  });

  test("does not pass on numbers that are all null but the rows", () => {
    const tested = {
      ...NOTHING,
      rowsTested: "3",
      measured: { rows: null, count: null, differences: null, newest: null },
    };
    if (name === "row_count" || name === "quirk")
      return expect(check.judge(assertionOf(name), tested).verdict).toBe("pass");
    expect(check.judge(assertionOf(name), tested).verdict).not.toBe("pass");
  });

  test("expects one line that a person can read", () => {
    const sentence = check.expectation(assertionOf(name));
    expect(sentence).toMatch(/\S/);
    expect(sentence).not.toMatch(/undefined|\[object|null\b.*null|\n/);
  });

  test("refuses a key that it does not have, and belongs to a clause", () => {
    const { check: _, ...own } = assertionOf(name);
    expect(check.schema.safeParse(own).success).toBe(true);
    expect(check.schema.safeParse({ ...own, colunm: "x" }).success).toBe(false);
    expect(check.clauses.length).toBeGreaterThan(0);
    expect(check.name).toBe(name);
  });

  test("names the common keys that it heeds, and tells the first that it does not", () => {
    const heeded = Object.fromEntries(check.heeds.map((key) => [key, "x"]));
    expect(unheededKey(check, heeded)).toBeNull();
    expect(unheededKey(check, { on_empty: "fail" })).toBeNull();
    for (const key of MEASURED_KEYS) {
      const own = Object.hasOwn(check.schema.shape, key);
      expect(unheededKey(check, { [key]: "x" }), key).toBe(own || check.heeds.includes(key) ? null : key);
    }
  });
});

describe("violations", () => {
  const judge = (bad: bigint, all: bigint, more: Readonly<Record<string, unknown>> = {}) =>
    CHECKS.row_rule.judge(
      { check: "row_rule", expr: "v > 0", ...more },
      { ...NOTHING, violations: `${bad}`, rowsTested: `${all}` },
    );

  test("one bad row of a billion is above a rate of 0", () => {
    expect(judge(1n, 10n ** 9n, { allow: { rate: "0" } }).verdict).toBe("fail");
    expect(judge(1n, 10n ** 9n, { allow: { rate: "0.000000001" } }).verdict).toBe("pass");
    expect(judge(2n, 10n ** 9n, { allow: { rate: "0.000000001" } }).verdict).toBe("fail");
  });

  test("a rate is judged as an exact fraction, beyond the doubles", () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 18n),
        fc.bigInt(1n, 10n ** 18n),
        fc.bigInt(0n, 1000n),
        (bad, all, mille) => {
          const rate = `${mille / 1000n}.${(mille % 1000n).toString().padStart(3, "0")}`;
          const allowed = bad * 1000n <= mille * all;
          expect(judge(bad, all, { allow: { rate } }).verdict).toBe(allowed ? "pass" : "fail");
        },
      ),
    );
  });

  test("what is allowed is told beside what was found", () => {
    expect(judge(4n, 9n, { allow: { rows: 10 } })).toEqual({
      verdict: "pass",
      finding: "4 of 9 rows do not fulfil v > 0; 10 allowed",
      expected: { allowed: "10" },
    });
    expect(judge(4n, 9n).finding).toBe("4 of 9 rows do not fulfil v > 0");
    expect(judge(0n, 9n).finding).toBe("all 9 rows fulfil v > 0");
  });

  test("zero rows pass only with leave and a reason", () => {
    expect(judge(0n, 0n).verdict).toBe("fail");
    expect(judge(0n, 0n, { on_empty: "pass" }).verdict).toBe("fail");
    expect(judge(0n, 0n, { on_empty: "pass", why: "closed" })).toMatchObject({
      verdict: "pass",
      finding: expect.stringContaining("closed"),
    });
  });
});

test("a bound is met by numbers only, exactly", () => {
  const verdict = (value: string | null) => judgeBounds("x", value, { min: "0", max: "0.3" }).verdict;
  expect(["0", "0.3", "0.30"].map(verdict)).toEqual(["pass", "pass", "pass"]);
  expect(["0.30000000000000000001", "-0.1", "NaN", "Infinity", "1e-2", "", null].map(verdict)).toEqual(
    Array.from({ length: 7 }, () => "fail"),
  );
  expect([
    boundsText({ min: 1, max: 2 }),
    boundsText({ min: 1 }),
    boundsText({ max: "2" }),
    boundsText({}),
  ]).toEqual(["from 1 to 2", "1 or more", "at most 2", "any"]);
});

test("a waiver holds up to its last day and not without knowing the day", () => {
  const judge = (today: string | null) =>
    CHECKS.not_applicable.judge(assertionOf("not_applicable"), { ...NOTHING, measured: { today } }).verdict;
  expect(["2025-12-31", "2026-01-01", "2026-01-02", null].map(judge)).toEqual([
    "pass",
    "pass",
    "fail",
    "fail",
  ]);
});

test("a referenced column is a relation's name and a column's, quoted where a part holds a dot", () => {
  expect(parseReferencedColumn("ref.teams.abbr")).toEqual({
    relation: { schema: "ref", name: "teams" },
    column: "abbr",
  });
  expect(parseReferencedColumn('"Ref.1"."My Table"."a.b"')).toEqual({
    relation: { schema: "Ref.1", name: "My Table" },
    column: "a.b",
  });
  for (const text of ["teams.abbr", "a.b.c.d", "ref.teams.", 'ref.teams."', "ref teams abbr"])
    expect(parseReferencedColumn(text), text).toBeTypeOf("string");
});

test("a balance names a side completely and once", () => {
  const sides = (left: Readonly<Record<string, unknown>>) =>
    CHECKS.balance.schema.safeParse({ left, right: { value: "1" } }).success;
  expect(sides({ from: "staged", sum: "v" })).toBe(true);
  expect(sides({ from: "table:gl.daily", expr: "a + b", where: "a > 0" })).toBe(true);
  for (const wrong of [
    {},
    { from: "staged" },
    { from: "gl.daily", sum: "v" },
    { from: "staged", sum: "v", count: true },
    { from: "staged", sum: [] },
    { value: "1", from: "raw" },
    { value: "1", where: "v > 0" },
    { value: "NaN" },
  ])
    expect(sides(wrong), JSON.stringify(wrong)).toBe(false);
});
