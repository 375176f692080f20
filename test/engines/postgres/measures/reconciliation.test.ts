// Sums and traces: groups, tolerances, exclusions, exactness; and the exact schema of the stage.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TargetColumn } from "../../../../src/domain/contract.ts";
import { type Assertion, type Data, type Lab, measureLab, type Row } from "./lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await measureLab();
});
afterAll(() => lab.end());

const typed = (entries: Readonly<Record<string, string>>): TargetColumn[] =>
  Object.entries(entries).map(([name, type]) => ({ name, type, nulls: "allowed" }));

const GROUPED = typed({ g: "text", v: "numeric(12,2)" });
const perGroup: Assertion = {
  check: "balance",
  group_by: ["g"],
  left: { from: "raw", sum: "v" },
  right: { from: "staged", sum: "v" },
};

describe("balance", () => {
  test("20: groups that stand on one side only fail, also where the other side would sum to 0", async () => {
    const { observed } = await lab.read(
      {
        target: GROUPED,
        raw: [
          ["x", "0"],
          ["y", "1"],
        ],
        staged: [["z", "1"]],
      },
      { ...perGroup, sample: { rows: "9" } },
    );
    expect(observed).toMatchObject({
      verdict: "fail",
      groups_missing: "3",
      violations: "3",
      rows_tested: "3",
    });
    expect(observed.finding).toContain("3 on one side only");
    expect(observed.sample).toEqual(
      expect.arrayContaining([
        { g: "x", left: "0", right: null },
        { g: "z", left: null, right: "1.00" },
      ]),
    );
  });

  test("groups of nulls meet, and two groups whose totals cancel each other still fail", async () => {
    const data: Data = {
      target: GROUPED,
      raw: [
        ["x", "1"],
        ["y", "2"],
        [null, "3"],
      ],
      staged: [
        ["x", "2"],
        ["y", "1"],
        [null, "3"],
      ],
    };
    const { observed } = await lab.read(data, perGroup);
    expect(observed).toMatchObject({
      verdict: "fail",
      violations: "2",
      groups_missing: "0",
      rows_tested: "3",
    });
    const total = { ...perGroup, group_by: undefined };
    expect((await lab.read(data, total)).observed).toMatchObject({ verdict: "pass" });
  });

  test("29: sums of floating-point numbers are exact, whatever the order of the rows", async () => {
    const target = typed({ g: "text", v: "double precision" });
    const sums: Assertion = {
      ...perGroup,
      left: { from: "staged", sum: "v", where: "g = 'a'" },
      right: { value: "0.3" },
      group_by: undefined,
    };
    const tenths: Data = {
      target,
      staged: [
        ["a", "0.1"],
        ["a", "0.2"],
      ],
    };
    expect((await lab.read(tenths, sums)).observed).toMatchObject({
      verdict: "pass",
      measured: { left: "0.3" },
    });
    const large: Data = {
      target,
      staged: [
        ["a", "1e16"],
        ["a", "1"],
        ["a", "-1e16"],
        ["a", "1e-7"],
      ],
    };
    expect((await lab.read(large, { ...sums, right: { value: "1.0000001" } })).observed).toMatchObject({
      verdict: "pass",
      measured: { largest_difference: "0.0000000" },
    });
  });

  test("sums beyond the doubles keep their last digit", async () => {
    const target = typed({ g: "text", v: "numeric" });
    const data: Data = {
      target,
      raw: [
        ["a", "9007199254740993"],
        ["a", "0.01"],
      ],
      staged: [["a", "9007199254740993.02"]],
    };
    const { observed } = await lab.read(data, perGroup);
    expect(observed).toMatchObject({
      verdict: "fail",
      measured: { left: "9007199254740993.01", right: "9007199254740993.02", largest_difference: "0.01" },
    });
  });

  test.each(["1,5", "12a", " 1", "1e5", "NaN", "", "1\n"])(
    "a raw cell %j is no exact decimal: an error, never a skip",
    async (cell) => {
      const { observed } = await lab.read(
        {
          target: GROUPED,
          raw: [
            ["x", cell],
            ["x", "1"],
          ],
          staged: [["x", "1"]],
        },
        { ...perGroup, allow: { rows: 9 } },
      );
      expect(observed).toMatchObject({ verdict: "error", non_finite_count: "1" });
    },
  );

  test.each([
    [{ abs: "0.05" }, "pass"],
    [{ abs: "0.04" }, "fail"],
    [{ rel: "0.0005" }, "pass"],
    [{ rel: "0.0004" }, "fail"],
    [{ abs: "0.05", rel: "0.0004", need: "any" }, "pass"],
    [{ abs: "0.05", rel: "0.0004", need: "both" }, "fail"],
    [{ abs: "0.05", rel: "0.0005", need: "both" }, "pass"],
  ])("a difference of 0.05 in 100 within %j gives %s", async (tolerance, expected) => {
    const data: Data = { target: GROUPED, raw: [["x", "100"]], staged: [["x", "99.95"]] };
    expect((await lab.read(data, { ...perGroup, tolerance })).observed.verdict).toBe(expected);
  });

  test("a group without any value is no agreement, unless nulls are ignored", async () => {
    const data: Data = {
      target: GROUPED,
      raw: [
        ["x", null],
        ["y", "1"],
      ],
      staged: [
        ["x", null],
        ["y", "1"],
      ],
    };
    expect((await lab.read(data, perGroup)).observed).toMatchObject({
      verdict: "fail",
      violations: "1",
      null_count: "1",
    });
    expect((await lab.read(data, { ...perGroup, on_null: "ignore" })).observed).toMatchObject({
      verdict: "pass",
      null_count: "1",
    });
    const half: Data = {
      ...data,
      staged: [
        ["x", "0"],
        ["y", "1"],
      ],
    };
    expect((await lab.read(half, { ...perGroup, on_null: "ignore" })).observed.verdict).toBe("fail");
  });

  test("several columns are added up in each row, an expression and a count likewise, another table too", async () => {
    await lab.admin(
      "CREATE TABLE ref.daily (g text, total numeric); INSERT INTO ref.daily VALUES ('x', 6), ('y', 1)",
    );
    const target = typed({ g: "text", a: "bigint", b: "bigint" });
    const data: Data = {
      target,
      staged: [
        ["x", "1", "2"],
        ["x", "3", null],
        ["y", null, "1"],
      ],
    };
    const readings = await lab.readAll(data, [
      {
        check: "balance",
        group_by: ["g"],
        left: { from: "staged", sum: ["a", "b"] },
        right: { from: "table:ref.daily", sum: "total" },
      },
      { check: "balance", left: { from: "staged", expr: "coalesce(a, 0) * 2" }, right: { value: "8" } },
      { check: "balance", left: { from: "staged", count: true, where: "g = 'x'" }, right: { value: "2" } },
    ]);
    expect(readings.map((reading) => reading.observed.finding)).toEqual([
      expect.stringContaining("all 2 groups agree"),
      expect.stringContaining("agree: 8 = 8"),
      expect.stringContaining("agree: 2 = 2"),
    ]);
  });

  describe("40, O22: laterals", () => {
    const target = typed({
      game_id: "text",
      posteam: "text",
      passing: "numeric(5,0)",
      receiving: "numeric(5,0)",
      lateral: "numeric(5,0)",
    });
    const staged: Row[] = [
      ["2020_07_X", "KC", "12", "12", null],
      ["2020_07_X", "KC", "8", "8", null],
      ["2020_07_X", "NE", "20", "6", "9"],
    ];
    const yards: Assertion = {
      check: "balance",
      group_by: ["game_id", "posteam"],
      left: { from: "staged", sum: "passing" },
      right: { from: "staged", sum: ["receiving", "lateral"] },
      sample: { rows: "5" },
    };
    const exclude = { keys_file: "laterals.csv", max_rows: 40, why: "the feed keeps one lateral a play" };
    const file = (keys: number): string =>
      [
        "posteam,game_id,note",
        "NE,2020_07_X,two laterals",
        ...Array.from({ length: keys - 1 }, (_, n) => `T${n},G${n},x`),
      ].join("\n");

    test("a game off by five yards fails and is listed", async () => {
      const { observed } = await lab.read({ target, staged }, yards);
      expect(observed).toMatchObject({
        verdict: "fail",
        violations: "1",
        sample: [{ game_id: "2020_07_X", posteam: "NE", left: "20", right: "15" }],
        measured: { largest_difference: "5" },
      });
    });

    test("a declared key leaves it out and is counted; one key more than declared fails", async () => {
      const one = await lab.read(
        { target, staged, files: { "laterals.csv": file(1) } },
        { ...yards, exclude },
      );
      expect(one.observed).toMatchObject({
        verdict: "pass",
        rows_tested: "1",
        measured: { excluded: "1", excluded_keys: "1" },
      });
      expect(one.observed.finding).toContain("excluded 1 of 40 allowed");
      const forty = await lab.read(
        { target, staged, files: { "laterals.csv": file(40) } },
        { ...yards, exclude },
      );
      expect(forty.observed).toMatchObject({
        verdict: "pass",
        measured: { excluded: "1", excluded_keys: "40" },
      });
      const more = await lab.read(
        { target, staged, files: { "laterals.csv": file(41) } },
        { ...yards, exclude },
      );
      expect(more.observed.finding).toBe("41 keys are excluded, 40 are allowed");
      expect(more.passed).toBe(false);
    });

    test("leaving every group out is nothing tested; a file that is missing or lacks a column is an error", async () => {
      const only: Data = { target, staged: staged.slice(2), files: { "laterals.csv": file(1) } };
      expect((await lab.read(only, { ...yards, exclude })).observed).toMatchObject({
        verdict: "fail",
        rows_tested: "0",
      });
      for (const files of [{}, { "laterals.csv": "game_id\n1" }, { "laterals.csv": 'game_id,posteam\n"' }])
        expect((await lab.read({ target, staged, files }, { ...yards, exclude })).observed.verdict).toBe(
          "error",
        );
    });
  });
});

describe("traceable", () => {
  const target = typed({ id: "bigint", d: "date", v: "text" });
  const traced: Assertion = {
    check: "traceable",
    raw_key: ["id", "d"],
    max_stage_rows_per_raw: "2",
    sample: { rows: "9" },
  };

  test("keys meet in the form of their declared type, also beside a cell that is none", async () => {
    const { observed } = await lab.read(
      {
        target,
        raw: [
          ["007", "2026-01-02", "a"],
          ["x", "2026-01-02", "b"],
          ["+8", "2026-01-03", "c"],
        ],
        excluded: [[2, "broken"]],
        staged: [
          ["7", "2026-01-02", "A"],
          ["8", "2026-01-03", "C"],
        ],
      },
      traced,
    );
    expect(observed).toMatchObject({ verdict: "pass", rows_tested: "2" });
  });

  test("a drop that a fan-out hides, a row from nowhere and a row too many are each found", async () => {
    const { observed } = await lab.read(
      {
        target,
        raw: [
          ["1", "2026-01-01", "a"],
          ["2", "2026-01-01", "b"],
          ["3", "2026-01-01", "c"],
        ],
        staged: [
          ["1", "2026-01-01", "a"],
          ["1", "2026-01-01", "a"],
          ["1", "2026-01-01", "a"],
          ["9", "2026-01-01", "z"],
          ["3", "2026-01-01", "c"],
          ["3", "2026-01-01", "c"],
        ],
      },
      traced,
    );
    expect(observed).toMatchObject({
      verdict: "fail",
      violations: "3",
      measured: { raw_without_stage: "1", stage_without_raw: "1", too_many: "1" },
    });
    expect(observed.sample).toHaveLength(3);
    expect(observed.sample).toContainEqual({ id: "2", d: "2026-01-01", records: "1", rows: "0" });
  });

  test("records that share a key need a row each", async () => {
    const data: Data = {
      target,
      raw: [
        ["1", "2026-01-01", "a"],
        ["1", "2026-01-01", "b"],
      ],
      staged: [["1", "2026-01-01", "a"]],
    };
    expect((await lab.read(data, traced)).observed).toMatchObject({
      verdict: "fail",
      measured: { raw_without_stage: "1" },
    });
  });

  test("the record's number traces where the stage carries it, and is an error where it does not", async () => {
    const numbered = typed({ _src_row: "bigint", v: "text" });
    const data: Data = {
      target: numbered,
      rawColumns: ["v"],
      raw: [["a"], ["b"]],
      staged: [
        ["1", "a"],
        ["2", "b"],
      ],
    };
    const byRow: Assertion = { check: "traceable", raw_key: "_src_row" };
    expect((await lab.read(data, byRow)).observed).toMatchObject({ verdict: "pass", rows_tested: "2" });
    expect((await lab.read({ target }, byRow)).observed.verdict).toBe("error");
    expect((await lab.read({ target }, { ...byRow, raw_key: ["nothing"] })).observed.verdict).toBe("error");
  });
});

describe("schema_exact", () => {
  const target: TargetColumn[] = [
    { name: "countryId", type: "text", nulls: "never", collation: "C" },
    { name: "amount", type: "numeric(10,2)", nulls: "never" },
    { name: "at", type: "timestamp with time zone", nulls: "allowed" },
    { name: "note", type: "text", nulls: "allowed" },
  ];
  const good = '"countryId" text COLLATE "C", amount numeric(10,2), at timestamptz, note text';
  const built = async (columns: string) =>
    (
      await lab.read(
        { target, built: columns, fill: (staged) => `INSERT INTO ${staged} SELECT 'NO'` },
        { check: "schema_exact" },
      )
    ).observed.finding;

  test("27, 39: every difference is told with both spellings, and none raises", async () => {
    expect(await built(good.replace("amount numeric(10,2)", "amount numeric(10,2) DEFAULT 1"))).toBe(
      "4 columns as declared, no null in the 2 that may have none",
    );
    expect(await built(good.replace('"countryId"', "countryid"))).toBe(
      'column 1 is countryid text collation C, declared is "countryId" text collation C',
    );
    expect(await built(good.replace("(10,2)", "(12,2)"))).toContain(
      "amount numeric(12,2), declared is amount numeric(10,2)",
    );
    expect(await built(good.replace("timestamptz", "timestamp"))).toContain(
      "at timestamp without time zone, declared is at timestamp with time zone",
    );
    expect(await built(good.replace(' COLLATE "C"', ""))).toContain(
      'declared is "countryId" text collation C',
    );
    expect(await built(good.replace("note text", 'note text COLLATE "C"'))).toBe(
      "column 4 is note text collation C, declared is note text",
    );
    expect(await built(`${good}, extra int`)).toBe("column 5 is extra integer, declared is none");
    expect(await built(good.replace(", note text", ""))).toBe("column 4 is missing, declared is note text");
    expect(await built(good.replace("at timestamptz, note text", "note text, at timestamptz"))).toContain(
      "column 3 is note text",
    );
  });

  test("34: nulls are counted in the columns that may hold none, however many those are", async () => {
    const wide = Array.from({ length: 120 }, (_, n) => ({
      name: `c${n}`,
      type: "integer",
      nulls: "never" as const,
    }));
    const staged: Row[] = [wide.map((_, n) => (n === 119 ? null : "1"))];
    const { observed } = await lab.read({ target: wide, staged }, { check: "schema_exact" });
    expect(observed.finding).toBe("1 nulls in c119");
  });
});
