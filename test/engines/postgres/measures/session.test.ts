// The session in which audits run: one snapshot, read-only, a pinned path; errors are readings without data in them (safety E2, U1, U3).
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TargetColumn } from "../../../../src/domain/contract.ts";
import { type Assertion, type Data, type Lab, measureLab } from "./lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await measureLab();
});
afterAll(() => lab.end());

const one = (type: string): TargetColumn[] => [{ name: "v", type, nulls: "allowed" }];
const numbers: Data = { target: one("numeric"), staged: [["-5"], ["1"]] };
const count: Assertion = { check: "row_count", min: "1" };

describe("an audit that cannot be measured", () => {
  test("32: is an error and not a pass, and the audits after it are measured", async () => {
    const readings = await lab.readAll(numbers, [
      { check: "row_rule", expr: "1 / (v - 1) > 0" },
      count,
      { check: "row_rule", expr: "nothing > 0" },
      { check: "range", column: "missing", min: "0" },
      { check: "psi" },
      { check: "row_count", min: "two" },
      count,
    ]);
    expect(readings.map((reading) => [reading.passed, reading.observed.verdict])).toEqual([
      [false, "error"],
      [true, "pass"],
      [false, "error"],
      [false, "error"],
      [false, "error"],
      [false, "error"],
      [true, "pass"],
    ]);
    expect(readings[0]?.observed.error).toBe("SQLSTATE 22012: division by zero");
    expect(readings[2]?.observed.error).toBe('SQLSTATE 42703: column "nothing" does not exist');
    expect(readings[0]?.observed.sql_sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test("tells its SQLSTATE and never the cell that the server's message names", async () => {
    const { observed } = await lab.read(
      { target: one("text"), staged: [["secret-cell"]] },
      { check: "row_rule", expr: "v::bigint > 0" },
    );
    expect(observed).toMatchObject({
      verdict: "error",
      error: "SQLSTATE 22P02 (a value cannot be computed)",
    });
    expect(JSON.stringify(observed)).not.toContain("secret-cell");
  });

  describe("while it runs", () => {
    const slow: Data = {
      target: one("bigint"),
      fill: (staged) => `INSERT INTO ${staged} SELECT g FROM generate_series(1, 200000) g`,
    };
    // Stable functions can be slow, too.
    const expr = "length(md5(repeat(v::text, 90000))) > 0";
    /** Calls a function for the backend that runs the slow statement, as soon as it does. */
    const meanwhile = async (call: string): Promise<void> => {
      for (let seen = false; !seen; await pause(20)) {
        const [row] = await lab.admin(
          `SELECT coalesce(bool_or(${call}(pid)), false) AS seen FROM pg_stat_activity
           WHERE application_name = 'wap' AND query LIKE '%md5%' AND state = 'active' AND datname = current_database()`,
        );
        seen = row?.["seen"] === true;
      }
    };

    test("and its time is over, is a reading", async () => {
      const late = await lab.read({ ...slow, statementTimeout: "1s" }, { check: "row_rule", expr });
      expect(late.observed).toMatchObject({
        verdict: "error",
        error: expect.stringContaining("SQLSTATE 57014"),
      });
    });

    test.each([
      ["pg_cancel_backend", "57014"],
      ["pg_terminate_backend", "57P01"],
    ])("and someone calls %s, ends the audits with %s", async (call, code) => {
      const running = expect(lab.read(slow, { check: "row_rule", expr })).rejects.toMatchObject({ code });
      await meanwhile(call);
      await running;
    });
  });

  test("a connection that goes away is thrown, not a reading", async () => {
    const ended: Data = {
      ...numbers,
      files: { "a.sql": "SELECT 1 FROM {{staged}}" },
      onRead: () =>
        lab.admin(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'wap' AND datname = current_database()",
        ),
    };
    const own: Assertion = { check: "custom_sql", file: "a.sql", returns: "failing_rows" };
    await expect(lab.readAll(ended, [count, own, count])).rejects.toThrow();
  });
});

describe("what an audit may do", () => {
  test.each([
    ["random() < 2"],
    ["set_config('row_security', 'on', false) = 'on'"],
    ["pg_sleep(1) IS NULL"],
    ["(SELECT true)"],
    ["EXISTS (SELECT 1 FROM pg_class)"],
    ["lab.always(v)"],
    ["true); DELETE FROM lab.x; --"],
    ["count(*) > 0"],
    ["v > $1"],
  ])("the condition %s is refused", async (expr) => {
    for (const assertion of [
      { check: "row_rule", expr },
      { ...count, where: expr },
      { check: "count", where: expr, rows: { min: "1" } },
      { check: "balance", left: { from: "staged", count: true, where: expr }, right: { value: "2" } },
      { check: "balance", left: { from: "staged", expr }, right: { value: "2" } },
    ]) {
      expect((await lab.read(numbers, assertion)).observed, JSON.stringify(assertion)).toMatchObject({
        verdict: "error",
      });
    }
  });

  test.each([
    ["DELETE FROM {{staged}} RETURNING 1"],
    ["SELECT 1; SELECT 2"],
    ["SELECT * FROM pg_catalog.pg_authid"],
    ["SELECT random() FROM {{staged}}"],
    ["SELECT nothing FROM {{staged}}"],
    ["SELECT 1 FROM {{other}}"],
  ])("the statement %s is refused", async (text) => {
    const own: Assertion = { check: "custom_sql", file: "a.sql", returns: "failing_rows" };
    expect((await lab.read({ ...numbers, files: { "a.sql": text } }, own)).observed.verdict).toBe("error");
  });

  test("a scalar is one number: no row, two rows, two columns and no number never pass", async () => {
    const scalar = async (text: string) =>
      (
        await lab.read(
          { ...numbers, files: { "a.sql": text } },
          {
            check: "custom_sql",
            file: "a.sql",
            returns: "scalar",
            expect: { min: "-9", max: "9007199254740993.5" },
          },
        )
      ).observed;
    expect(await scalar("SELECT sum(v) FROM {{staged}}")).toMatchObject({
      verdict: "pass",
      measured: { scalar: "-4" },
    });
    expect(await scalar("SELECT 9007199254740993.5 -- the end")).toMatchObject({ verdict: "pass" });
    expect(await scalar("SELECT 9007199254740993.51")).toMatchObject({ verdict: "fail" });
    expect(await scalar("SELECT v FROM {{staged}} WHERE false")).toMatchObject({ verdict: "fail" });
    expect(await scalar("SELECT 'NaN'::float8")).toMatchObject({ verdict: "fail" });
    expect(await scalar("SELECT v FROM {{staged}}")).toMatchObject({ verdict: "error" });
    expect(await scalar("SELECT 1, 2")).toMatchObject({ verdict: "error" });
    expect(await scalar("SELECT 'one'")).toMatchObject({ verdict: "error" });
  });

  test("a statement that sees no wrong row in an empty stage has tested nothing", async () => {
    const own: Assertion = { check: "custom_sql", file: "a.sql", returns: "failing_rows" };
    const files = {
      "a.sql": "SELECT 1 FROM {{source}} AS r WHERE r.v = 'x'",
      "b.sql": "SELECT count(*) FROM {{source}}",
    };
    const scalar = { ...own, file: "b.sql", returns: "scalar", expect: { min: "1" } };
    expect((await lab.read({ target: one("text"), raw: [["y"]], files }, scalar)).observed).toMatchObject({
      verdict: "fail",
      measured: { scalar: "1" },
    });
    expect((await lab.read({ target: one("text"), raw: [["y"]], files }, own)).observed).toMatchObject({
      verdict: "fail",
      rows_tested: "0",
    });
  });

  test("a common key that a check does not heed is an error, not ignored", async () => {
    for (const assertion of [
      { ...count, allow: { rows: 3 } },
      { ...count, group_by: ["v"] },
      { check: "schema_exact", where: "v > 0" },
      { check: "quirk", why: "w", of: "raw", expect: count },
      { check: "quirk", why: "w", expect: { ...count, group_by: ["v"] } },
      { ...count, of: "merged" },
    ])
      expect((await lab.read(numbers, assertion)).observed, JSON.stringify(assertion)).toMatchObject({
        verdict: "error",
      });
  });
});

describe("the session", () => {
  test("trap 074: rows that row security would hide are an error, not a smaller number", async () => {
    const hidden: Data = { ...numbers, fill: (staged) => `ALTER TABLE ${staged} ENABLE ROW LEVEL SECURITY` };
    expect((await lab.read(hidden, count)).observed).toMatchObject({
      verdict: "error",
      error: expect.stringContaining("42501"),
    });
  });

  test("trap 075: an operator and a function of another schema are never picked up", async () => {
    await lab.admin(`CREATE FUNCTION public.lt0(numeric, int) RETURNS bool LANGUAGE sql AS 'SELECT false';
      CREATE OPERATOR public.< (leftarg = numeric, rightarg = int, procedure = public.lt0)`);
    const { observed } = await lab.read(numbers, { check: "row_rule", expr: "NOT v < 0" });
    expect(observed).toMatchObject({ verdict: "fail", violations: "1" });
  });

  test("the audits of one run see one snapshot", async () => {
    const growing: Data = {
      ...numbers,
      files: { "a.sql": "SELECT count(*) FROM {{staged}}" },
      onRead: (staged) => lab.admin(`INSERT INTO ${staged} VALUES (7)`),
    };
    const two: Assertion = { check: "custom_sql", file: "a.sql", returns: "scalar", expect: { equals: "2" } };
    const readings = await lab.readAll(growing, [two, two, { ...count, max: "2" }]);
    expect(readings.map((reading) => reading.observed.finding)).toEqual([
      "a.sql is 2",
      "a.sql is 2",
      "the number of rows is 2",
    ]);
  });

  test("is read-only, has a pinned path and the contract's time limit", async () => {
    const settings = {
      transaction_read_only: "on",
      transaction_isolation: "repeatable read",
      search_path: "pg_catalog, pg_temp",
      row_security: "off",
      statement_timeout: "42s",
    };
    const readings = await lab.readAll(
      { ...numbers, statementTimeout: "42s", session: "RESET search_path; RESET row_security" },
      Object.entries(settings).map(([name, value]) => ({
        check: "row_rule",
        expr: `current_setting('${name}') = '${value}'`,
      })),
    );
    expect(readings.map((reading) => reading.observed.verdict)).toEqual(
      Object.keys(settings).map(() => "pass"),
    );
  });

  test("O40: a reading is the same whatever the session's zone and styles were", async () => {
    const target: TargetColumn[] = [
      { name: "v", type: "timestamp with time zone", nulls: "allowed" },
      { name: "f", type: "double precision", nulls: "allowed" },
      { name: "d", type: "date", nulls: "allowed" },
    ];
    const data: Data = {
      target,
      raw: [["2026-10-27T20:30:00.5Z", "0.1", "2026-10-02"]],
      staged: [["2026-10-27T20:30:00.5Z", "0.30000000000000004", "2026-10-02"]],
    };
    const assertions: Assertion[] = [
      { check: "max_age", column: "v", at_most: "1h", zone: "America/New_York" },
      { check: "range", column: "v", max: "2027-01-01", sample: { rows: "1" } },
      { check: "range", column: "f", max: "0", sample: { rows: "1" } },
      { check: "traceable", raw_key: ["d"] },
      {
        check: "balance",
        group_by: ["d"],
        left: { from: "staged", sum: "f" },
        right: { from: "raw", sum: "f" },
      },
    ];
    const strange =
      "SET TimeZone = 'Asia/Tokyo'; SET DateStyle = 'SQL, DMY'; SET extra_float_digits = -5; SET IntervalStyle = 'iso_8601'";
    const seen = async (session: string) =>
      (await lab.readAll({ ...data, session }, assertions)).map(
        ({ observed: { ms: _ms, sql_sha256: _sql, ...rest } }) => rest,
      );
    const readings = await seen("RESET ALL");
    expect(await seen(strange)).toEqual(readings);
    expect(readings[1]?.measured["max"]).toBe("2026-10-27 20:30:00.5+00");
    expect(readings[2]?.sample).toEqual([
      { v: "2026-10-27 20:30:00.5+00", f: "0.30000000000000004", d: "2026-10-02" },
    ]);
    expect(readings[3]?.verdict).toBe("pass");
    expect(readings[4]?.measured["largest_difference"]).toBe("0.20000000000000004");
  });
});
