// Trouble that others had with audits, case by case (numbers of the collection of cases).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TargetColumn } from "../../../../src/domain/contract.ts";
import { type Assertion, type Data, type Lab, measureLab, type Row } from "./lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await measureLab();
});
afterAll(() => lab.end());

const verdict = async (data: Data, assertion: Assertion): Promise<string> =>
  (await lab.read(data, assertion)).observed.verdict;

const column = (name: string, type: string, nulls: TargetColumn["nulls"] = "allowed"): TargetColumn => ({
  name,
  type,
  nulls,
});
const one = (type: string, nulls: TargetColumn["nulls"] = "allowed"): readonly TargetColumn[] => [
  column("v", type, nulls),
];
const cells = (...values: readonly (string | null)[]): Row[] => values.map((value) => [value]);

describe("keys", () => {
  test("17: keys beyond 2^53 that differ by one stay two keys, and the evidence holds their digits", async () => {
    const { observed } = await lab.read(
      { target: one("bigint"), staged: cells("9007199254740992", "9007199254740993") },
      { check: "range", column: "v", max: "9007199254740993" },
    );
    expect(observed.measured).toEqual({ min: "9007199254740992", max: "9007199254740993" });
    const keys = await lab.read(
      { target: one("bigint"), staged: cells("9007199254740992", "9007199254740993") },
      { check: "unique_key", columns: ["v"] },
    );
    expect(keys.observed).toMatchObject({ verdict: "pass", measured: { keys: "2" } });
  });

  test("37: keys that look alike are keys of their own", async () => {
    const staged = cells("café", "cafe\u0301", "A", "A ", "a", "A\u00a0");
    expect(await verdict({ target: one("text"), staged }, { check: "unique_key", columns: ["v"] })).toBe(
      "pass",
    );
  });

  test("trap 077: keys that a nondeterministic collation calls equal are no key", async () => {
    await lab.admin(
      "CREATE COLLATION IF NOT EXISTS lab.folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    );
    const data: Data = {
      target: one("text"),
      built: "v text COLLATE lab.folded",
      staged: cells("A", "a"),
    };
    expect((await lab.read(data, { check: "unique_key", columns: ["v"] })).observed).toMatchObject({
      verdict: "fail",
      violations: "1",
    });
    expect(
      (await lab.read(data, { check: "one_of", column: "v", values: ["A"] })).observed,
      "an enumeration compares bytes",
    ).toMatchObject({ verdict: "fail", violations: "1" });
  });

  test("names in mixed case, reserved words and blanks are measured as they are written", async () => {
    const target = [
      column("countryId", "text"),
      column("order", "bigint"),
      column("Amount (USD)", "numeric"),
    ];
    const data: Data = { target, staged: [["NO", "1", "2.5"]] };
    const readings = await lab.readAll(data, [
      { check: "unique_key", columns: ["countryId", "order"] },
      { check: "one_of", column: "countryId", values: ["NO"] },
      { check: "range", column: "Amount (USD)", min: "0" },
      { check: "schema_exact" },
    ]);
    expect(readings.map((reading) => reading.observed.finding)).toEqual([
      expect.stringContaining("all 1 rows"),
      expect.stringContaining("all 1 values"),
      expect.stringContaining("all 1 values"),
      expect.stringContaining("3 columns as declared"),
    ]);
  });
});

describe("freshness", () => {
  const newest: Assertion = { check: "max_age", column: "v", at_most: "36h" };

  test("18: a relation that a condition empties has no newest value and fails", async () => {
    const data: Data = { target: one("timestamp with time zone"), staged: cells("2026-10-27T20:00:00Z") };
    expect(await verdict(data, newest)).toBe("pass");
    const emptied = await lab.read(data, { ...newest, where: "v < '2000-01-01'" });
    expect(emptied.observed).toMatchObject({
      verdict: "fail",
      rows_tested: "0",
      measured: { newest: null, clock: "2026-10-27T21:00:00Z" },
    });
  });

  test.each([
    ["end_of_day", "pass", "17 h 00 min before"],
    ["start_of_day", "fail", "41 h 00 min before"],
  ])("35: a date in New York that means the %s gives %s", async (meaning, expected, age) => {
    const { observed } = await lab.read(
      { target: one("date"), staged: cells("2026-10-26", "2026-10-20") },
      { ...newest, at_most: "24h", zone: "America/New_York", date_means: meaning },
    );
    expect(observed.finding).toContain(age);
    expect(observed.verdict).toBe(expected);
  });

  test("35: a newest value ahead of the clock has a negative age, and no_future fails", async () => {
    const data: Data = { target: one("date"), staged: cells("2026-10-28") };
    const [age, future] = await lab.readAll(data, [
      { ...newest, zone: "UTC" },
      { check: "no_future", column: "v", zone: "UTC" },
    ]);
    expect(age?.observed).toMatchObject({ verdict: "pass", measured: { age_ms: "-97200000" } });
    expect(future?.observed).toMatchObject({ verdict: "fail", violations: "1" });
  });

  test("44: a reading names the newest value and the clock, and as_of is another clock", async () => {
    const data: Data = {
      target: one("timestamp with time zone"),
      staged: cells("2026-10-17T21:00:00Z"),
      asOf: "2026-10-18T00:00:00Z",
    };
    const [now, then] = await lab.readAll(data, [
      { ...newest, at_most: "1d" },
      { ...newest, at_most: "1d", clock: "as_of" },
    ]);
    expect(now?.observed).toMatchObject({
      verdict: "fail",
      clock: "2026-10-27T21:00:00Z",
      measured: { newest: "2026-10-17T21:00:00Z", clock: "2026-10-27T21:00:00Z" },
    });
    expect(then?.observed).toMatchObject({ verdict: "pass", clock: "2026-10-18T00:00:00Z" });
    const { asOf: _, ...undated } = data;
    expect(await verdict(undated, { ...newest, clock: "as_of" })).toBe("error");
  });

  test("an age is above its limit from the first microsecond on", async () => {
    const target = one("timestamp with time zone");
    const at = (text: string) =>
      verdict({ target, staged: cells(text) }, { check: "max_age", column: "v", at_most: "1h" });
    expect(await at("2026-10-27T20:00:00Z")).toBe("pass");
    expect(await at("2026-10-27T19:59:59.999999Z")).toBe("fail");
  });

  test("outside its months the age is shown and not judged; an empty relation fails all the same", async () => {
    const target = one("date");
    const active = { ...newest, zone: "UTC", active: { months: ["11", "12"] } };
    const old = await lab.read({ target, staged: cells("2026-01-01") }, active);
    expect(old.observed.finding).toMatch(/^not due in month 10: newest v is 2026-01-02/);
    expect(old.passed).toBe(true);
    expect(await verdict({ target }, active)).toBe("fail");
  });

  test("an infinite date passes neither check, whatever is allowed", async () => {
    const data: Data = { target: one("date"), staged: cells("infinity", "2026-10-27") };
    const [age, future, bounds] = await lab.readAll(data, [
      { ...newest, zone: "UTC" },
      { check: "no_future", column: "v", zone: "UTC", allow: { rows: 5 } },
      { check: "range", column: "v", min: "2000-01-01", allow: { rows: 5 } },
    ]);
    expect([age, future, bounds].map((reading) => reading?.observed.verdict)).toEqual([
      "fail",
      "fail",
      "fail",
    ]);
    expect(age?.observed.non_finite_count).toBe("1");
  });
});

describe("values", () => {
  test("22, O25: a null is a violation of a list where the column may hold none, and counted where it may", async () => {
    const set: Assertion = { check: "one_of", column: "v", values: ["REG", "POST"] };
    const staged = cells("REG", "POST", null, "PRE");
    const never = await lab.read({ target: one("text", "never"), staged }, set);
    expect(never.observed).toMatchObject({ verdict: "fail", violations: "2", null_count: "1" });
    const allowed = await lab.read({ target: one("text"), staged }, set);
    expect(allowed.observed).toMatchObject({ verdict: "fail", violations: "1", null_count: "1" });
    const ignored = await lab.read(
      { target: one("text", "never"), staged: cells("REG", null) },
      {
        ...set,
        on_null: "ignore",
      },
    );
    expect(ignored.observed).toMatchObject({ verdict: "pass", violations: "0", null_count: "1" });
  });

  test("22: an orphan is found beside a null in the referenced column, between columns of two collations", async () => {
    await lab.admin(
      "CREATE TABLE ref.parent (id bigint, name text COLLATE \"en-x-icu\"); INSERT INTO ref.parent VALUES (1, 'x'), (1, 'x'), (NULL, NULL)",
    );
    const numbers = await lab.read(
      { target: one("integer"), staged: cells("1", "2") },
      { check: "references", column: "v", to: "ref.parent.id", sample: { rows: "5" } },
    );
    expect(numbers.observed).toMatchObject({
      violations: "1",
      rows_tested: "2",
      sample: [{ v: "2" }],
    });
    const names = await lab.read(
      { target: [{ ...column("v", "text"), collation: "C" }], staged: cells("x", "y") },
      { check: "references", column: "v", to: "ref.parent.name" },
    );
    expect(names.observed).toMatchObject({ verdict: "fail", violations: "1" });
  });

  test.each([
    ["S\\d{9}", "S123456789", "pass"],
    ["O'[A-Z]+", "O'NEIL", "pass"],
    ["\\d+", "12\n", "fail"],
    ["\\d+", "\n12", "fail"],
    ["\\d+", "12", "pass"],
    ["a|b", "ax", "fail"],
    ["a|b", "xb", "fail"],
    ["(?:é|\\$1)", "$1", "pass"],
    [".*;--", "'; DROP TABLE x;--", "pass"],
  ])("24: the pattern %s over %j gives %s", async (pattern, value, expected) => {
    const data: Data = { target: one("text"), staged: cells(value) };
    expect(await verdict(data, { check: "matches", column: "v", pattern })).toBe(expected);
  });

  test("24: an unanchored pattern is searched for", async () => {
    const data: Data = { target: one("text"), staged: cells("x12\n") };
    expect(await verdict(data, { check: "matches", column: "v", pattern: "\\d+", anchor: "none" })).toBe(
      "pass",
    );
  });

  test("24: a pattern that is none is an error that says so, not a pass", async () => {
    const { observed } = await lab.read(
      { target: one("text"), staged: cells("x") },
      { check: "matches", column: "v", pattern: "(" },
    );
    expect(observed).toMatchObject({ verdict: "error" });
    expect(observed.error).toContain("SQLSTATE 2201B");
  });

  test("25: two bounds of one column are two readings", async () => {
    const [max, min] = await lab.readAll({ target: one("bigint"), staged: cells("1", "99") }, [
      { check: "range", column: "v", max: "50" },
      { check: "range", column: "v", min: "0" },
    ]);
    expect(max?.observed).toMatchObject({ verdict: "fail", violations: "1", measured: { max: "99" } });
    expect(min?.observed).toMatchObject({ verdict: "pass", violations: "0", measured: { max: "99" } });
  });

  test.each([
    ["numeric(10,2)", "NaN"],
    ["numeric", "Infinity"],
    ["double precision", "NaN"],
    ["double precision", "-Infinity"],
    ["real", "NaN"],
  ])("26: %s %s is in no range, whatever is allowed, and has no sum", async (type, value) => {
    const data: Data = { target: one(type), staged: cells("1", value) };
    const [range, tolerant, sum, rule] = await lab.readAll(data, [
      { check: "range", column: "v", min: "0" },
      { check: "range", column: "v", min: "0", allow: { rate: "1" } },
      { check: "balance", left: { from: "staged", sum: "v" }, right: { from: "staged", sum: "v" } },
      { check: "balance", left: { from: "staged", expr: "v * 2" }, right: { value: "2" } },
    ]);
    expect(range?.observed).toMatchObject({ verdict: "fail", non_finite_count: "1" });
    expect(tolerant?.passed).toBe(false);
    expect(sum?.observed).toMatchObject({ verdict: "error", non_finite_count: "2" });
    expect(sum?.observed.finding).toContain("2 cells are not finite decimal numbers");
    expect(rule?.passed).toBe(false);
  });

  test("range bounds are included or not, and integers meet bounds outside their type", async () => {
    const data: Data = { target: one("smallint"), staged: cells("1", "5") };
    const readings = await lab.readAll(
      data,
      (["both", "left", "right", "none"] as const).map((inclusive) => ({
        check: "range",
        column: "v",
        min: "1",
        max: "5",
        inclusive,
      })),
    );
    expect(readings.map((reading) => reading.observed.violations)).toEqual(["0", "1", "1", "2"]);
    expect(await verdict(data, { check: "range", column: "v", max: "99999999999999999999.5" })).toBe("pass");
    const float: Data = { target: one("double precision"), staged: cells("0.30000000000000004") };
    expect(await verdict(float, { check: "range", column: "v", max: "0.3" })).toBe("fail");
  });

  test("36: a null in one column does not take the row out of the rule", async () => {
    const target = [column("f1", "text"), column("f2", "text"), column("f3", "text")];
    const staged: Row[] = [[null, "foo", "foo"]];
    const [equal, unknown, ignored] = await lab.readAll({ target, staged }, [
      { check: "row_rule", expr: "f2 <> f3" },
      { check: "row_rule", expr: "f1 <> f2" },
      { check: "row_rule", expr: "f1 <> f2", on_null: "ignore" },
    ]);
    expect(equal?.observed).toMatchObject({ verdict: "fail", violations: "1" });
    expect(unknown?.observed).toMatchObject({ verdict: "fail", violations: "1", null_count: "1" });
    expect(ignored?.observed).toMatchObject({ verdict: "pass", violations: "0", null_count: "1" });
  });

  test("a condition that is null for a row does not test that row", async () => {
    const data: Data = { target: one("bigint"), staged: cells("1", null) };
    const { observed } = await lab.read(data, { check: "row_count", min: "1", max: "1", where: "v > 0" });
    expect(observed).toMatchObject({ verdict: "pass", rows_tested: "1" });
  });
});

describe("counts", () => {
  test("33: what is allowed is still counted, and a sample holds as many rows as asked for", async () => {
    const target = [
      column("id", "bigint"),
      { ...column("mail", "text"), class: "pii" as const },
      column("v", "text"),
    ];
    const bad = (rows: number): Data => ({
      target,
      fill: (staged) => `INSERT INTO ${staged} SELECT g, 'm@b.c', 'bad' FROM generate_series(1, ${rows}) g`,
    });
    const four = await lab.read(bad(4), {
      check: "one_of",
      column: "v",
      values: ["good"],
      allow: { rows: 10 },
    });
    expect(four.observed).toMatchObject({ verdict: "pass", violations: "4", expected: { allowed: "10" } });
    const many = await lab.read(bad(15_000), {
      check: "one_of",
      column: "v",
      values: ["good"],
      sample: { rows: "5", hide: ["id"] },
    });
    expect(many.observed).toMatchObject({ verdict: "fail", violations: "15000" });
    expect(many.observed.sample, "personal cells are never shown, hidden ones neither").toEqual(
      Array.from({ length: 5 }, () => ({ v: "bad" })),
    );
  });

  test("an example cell is cut to 200 characters", async () => {
    const { observed } = await lab.read(
      { target: one("text"), staged: cells("é".repeat(5000)) },
      { check: "matches", column: "v", pattern: "x", sample: { rows: 1 } },
    );
    expect(observed.sample).toEqual([{ v: "é".repeat(200) }]);
  });

  test("one bad row is above a rate of 0, and a rate is compared without a division", async () => {
    const data: Data = { target: one("text"), staged: cells("bad", "good", "good") };
    const rate = (text: string) =>
      verdict(data, { check: "one_of", column: "v", values: ["good"], allow: { rate: text } });
    expect(await rate("0")).toBe("fail");
    expect(await rate("0.3333")).toBe("fail");
    expect(await rate("0.3334")).toBe("pass");
  });

  test("without `sample` the evidence holds no cell of the data", async () => {
    const { observed } = await lab.read(
      { target: one("text"), staged: cells("secret-cell") },
      { check: "one_of", column: "v", values: ["good"] },
    );
    expect(JSON.stringify(observed)).not.toContain("secret-cell");
  });

  test("a reason that the equation does not name fails it, and a named one without records counts 0", async () => {
    const counts = { landed: "3", "excluded.old": "1", "excluded.new": "1" };
    const data: Data = { target: one("text"), staged: cells("a"), counts };
    const named = await lab.read(data, {
      check: "equation",
      left: "landed",
      right: ["staged", "excluded.old", "excluded.other"],
    });
    expect(named.observed.finding).toBe(
      "3 landed = 1 staged + 1 excluded.old + 0 excluded.other; left out for a reason that the equation does not name: 1 excluded.new",
    );
    const too = await lab.read(data, { check: "equation", left: "staged", right: ["landed"] });
    expect(too.observed.finding).toBe("1 staged = 3 landed - 2 unexplained");
    const excluded = await lab.read(data, { check: "count", from: "excluded.old", rows: { max: "1" } });
    expect(excluded.observed).toMatchObject({ verdict: "pass", rows_tested: "3", measured: { count: "1" } });
    const share = await lab.read(data, { check: "count", from: "excluded.old", rate: { max: "0.33" } });
    expect(share.observed.verdict).toBe("fail");
  });

  test("21: nothing on either side is nothing tested, unless that is allowed with its reason", async () => {
    const target = one("numeric(10,2)");
    const both: Assertion = {
      check: "balance",
      left: { from: "raw", sum: "v" },
      right: { from: "staged", sum: "v" },
    };
    expect((await lab.read({ target }, both)).observed.finding).toContain("nothing was tested");
    const allowed = await lab.read({ target }, { ...both, on_empty: "pass", why: "closed on Sundays" });
    expect(allowed.observed).toMatchObject({ verdict: "pass", measured: { left: "0", right: "0" } });
    expect(allowed.observed.finding).toContain("closed on Sundays");
    const silent = await lab.read({ target }, { ...both, on_empty: "pass" });
    expect(silent.passed, "without a reason it is not allowed").toBe(false);
  });
});

describe("quirks", () => {
  const odd = (more: Record<string, unknown>): Assertion => ({
    check: "quirk",
    why: "the feed is odd",
    expect: { check: "count", where: "v = 'odd'", rows: { min: "1" } },
    ...more,
  });
  const data: Data = { target: one("text"), staged: cells("even") };

  test("a quirk is judged from its first to its last day, and not in force before and after", async () => {
    const at = async (more: Record<string, unknown>) => (await lab.read(data, odd(more))).observed;
    expect(await at({ since: "2026-10-27", until: "2026-10-27" })).toMatchObject({ verdict: "fail" });
    const before = await at({ since: "2026-10-28" });
    expect(before).toMatchObject({ verdict: "pass", clock: "2026-10-27T21:00:00Z" });
    expect(before.finding).toBe("in force since 2026-10-28, not at 2026-10-27T21:00:00Z");
    expect(await at({ until: "2026-10-26" })).toMatchObject({ verdict: "pass" });
  });

  test("a quirk holds any check with its own condition, groups and allowances", async () => {
    const grouped = odd({
      expect: {
        check: "balance",
        group_by: ["v"],
        left: { from: "staged", count: true },
        right: { from: "raw", count: true },
        sample: { rows: "1" },
      },
    });
    const { observed } = await lab.read({ ...data, raw: cells("odd") }, grouped);
    expect(observed).toMatchObject({ verdict: "fail", groups_missing: "2" });
    const tolerant = odd({
      expect: { check: "one_of", column: "v", values: ["odd"], allow: { rows: "1" }, where: "v IS NOT NULL" },
    });
    expect((await lab.read(data, tolerant)).observed).toMatchObject({ verdict: "pass", violations: "1" });
  });

  test("a quirk within a quirk, a check that is unknown and a key that is unknown are errors", async () => {
    for (const expected of [
      { check: "quirk", why: "w", expect: { check: "row_count", min: "1" } },
      { check: "psi" },
      { check: "row_count", min: "1", mni: "2" },
      { check: "row_count", min: "1", level: "advisory" },
    ]) {
      expect((await lab.read(data, odd({ expect: expected }))).observed.verdict).toBe("error");
    }
  });
});
