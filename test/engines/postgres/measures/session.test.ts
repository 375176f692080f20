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

  test("whose time is over is a reading; one that someone cancels ends the audits", async () => {
    const slow: Data = {
      target: one("bigint"),
      fill: (staged) => `INSERT INTO ${staged} SELECT g FROM generate_series(1, 200000) g`,
    };
    // Stable and slow: no volatile function is needed to spend time.
    const expr = "length(repeat(md5(repeat(v::text, 2000)), 100)) > 0";
    const late = await lab.read(
      { ...slow, statementTimeout: "1s" },
      { check: "row_rule", expr: `${expr} AND ${expr.replace("2000", "90000")}` },
    );
    expect(late.observed).toMatchObject({ verdict: "error" });
    expect(late.observed.error).toContain("SQLSTATE 57014");
    const running = lab.read(slow, {
      check: "row_rule",
      expr: `${expr} AND ${expr.replace("2000", "90000")}`,
    });
    const cancelled = expect(running).rejects.toMatchObject({ code: "57014" });
    for (let seen = false; !seen; await pause(20)) {
      const [row] = await lab.admin(
        "SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) AS seen FROM pg_stat_activity WHERE application_name = 'wap' AND query LIKE '%md5%' AND state = 'active' AND datname = current_database()",
      );
      seen = row?.["seen"] === true;
    }
    await cancelled;
  }, 60_000);

  test("a connection that goes away is thrown, not a reading", async () => {
    await expect(
      lab.asAuditor(async (client) => {
        const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
        await lab.admin(`SELECT pg_terminate_backend(${rows[0].pid})`);
        await client.query("SELECT 1");
      }),
    ).rejects.toBeDefined();
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
    const files = { "a.sql": "SELECT 1 FROM {{source}} AS r WHERE r.v = 'x'" };
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

  test("the audits of one run see one snapshot, and nothing can be written", async () => {
    const table: Data = { ...numbers, fill: (staged) => `CREATE TABLE ref.alias AS SELECT * FROM ${staged}` };
    const both: Assertion = {
      check: "balance",
      left: { from: "table:ref.alias", count: true },
      right: { value: "2" },
    };
    const readings = await lab.readAll(table, [both, both]);
    expect(readings.every((reading) => reading.passed)).toBe(true);
    await lab.asAuditor(async (client) => {
      expect((await client.query("SHOW transaction_read_only")).rows[0]).toEqual({
        transaction_read_only: "off",
      });
    });
  });

  test("O40: a reading is the same whatever the session's zone and styles were", async () => {
    const data: Data = { target: one("timestamp with time zone"), staged: [["2026-10-27T20:30:00.5Z"]] };
    const fresh: Assertion = { check: "max_age", column: "v", at_most: "1h", zone: "America/New_York" };
    const range: Assertion = { check: "range", column: "v", max: "2027-01-01", sample: { rows: "1" } };
    const first = await lab.readAll(data, [fresh, range]);
    await lab.admin(
      "ALTER DATABASE " +
        (await lab.admin("SELECT current_database() AS d"))[0]?.["d"] +
        " SET timezone = 'Asia/Tokyo'",
    );
    const second = await lab.readAll(data, [fresh, range]);
    const seen = (readings: typeof first) =>
      readings.map(({ observed: { ms: _, sql_sha256: _sql, ...rest } }) => rest);
    expect(seen(second)).toEqual(seen(first));
    expect(second[1]?.observed.measured["max"]).toBe("2026-10-27 20:30:00.5+00");
  });
});
