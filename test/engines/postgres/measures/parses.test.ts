// parses against the server's own casts: what it accepts casts without an error, and words that stand for a value are refused.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isValueOf, PLAIN_WRITING } from "../../../../src/engines/postgres/measures/cell-text.ts";
import { Binds } from "../../../../src/engines/postgres/measures/measure.ts";
import { type Assertion, type Data, type Lab, measureLab, type Row } from "./lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await measureLab();
  // The transform's cast, as a function that says whether it raised.
  await lab.admin(`CREATE FUNCTION lab.casts(cell text, type text) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN EXECUTE format('SELECT %L::%s', cell, type); RETURN true; EXCEPTION WHEN data_exception OR string_data_right_truncation THEN RETURN false; END $$`);
});
afterAll(() => lab.end());

const TYPES = [
  "smallint",
  "integer",
  "bigint",
  "numeric",
  "numeric(5,2)",
  "numeric(1000,3)",
  "numeric(3,3)",
  "double precision",
  "real",
  "boolean",
  "uuid",
  "text",
  "character varying(3)",
  "date",
  "time without time zone",
  "timestamp without time zone",
  "timestamp(3) with time zone",
] as const;

/** Which of the cells parse, by the sample of those that do not. */
async function refused(
  type: string,
  cells: readonly string[],
  more: Partial<Assertion> = {},
): Promise<string[]> {
  const raw: Row[] = cells.map((cell) => [cell]);
  const data: Data = { target: [{ name: "v", type, nulls: "allowed" }], raw };
  const { observed } = await lab.read(data, {
    check: "parses",
    columns: "all",
    sample: { rows: "100" },
    ...more,
  });
  if (observed.verdict === "error") throw new Error(`${type}: ${observed.error}`);
  expect(observed.rows_tested).toBe(`${cells.length}`);
  const rows = (observed.sample ?? []).map((example) => Number(example["_src_row"]));
  expect(observed.violations).toBe(`${rows.length}`);
  return rows.sort((a, b) => a - b).map((row) => cells[row - 1] ?? "");
}

const EDGES = [
  "",
  "0",
  "-0",
  "+7",
  "007",
  "12",
  "-32768",
  "-32769",
  "32767",
  "32768",
  "2147483647",
  "2147483648",
  "9223372036854775807",
  "9223372036854775808",
  "99999999999999999999",
  "1.5",
  ".5",
  "5.",
  ".",
  "-",
  "1e5",
  "1E-5",
  "1e",
  "1e400",
  "1e308",
  "1.8e308",
  "1e-324",
  "5e-324",
  "1e-400",
  "3.5e38",
  "1e-46",
  "999.99",
  "999.994",
  "999.995",
  "1000",
  "0.9994",
  "0.9995",
  "1",
  " 12",
  "12 ",
  "12\n",
  "\n12",
  "1,5",
  "1_000",
  "0x1F",
  "٣",
  "NaN",
  "nan",
  "Infinity",
  "inf",
  "-infinity",
  "now",
  "today",
  "tomorrow",
  "yesterday",
  "epoch",
  "J2451187",
  "allballs",
  "t",
  "TRUE",
  "yes",
  "of",
  "off",
  "2",
  "2026-02-28",
  "2026-02-29",
  "2024-02-29",
  "1900-02-29",
  "2000-02-29",
  "2026-04-31",
  "2026-13-01",
  "2026-00-10",
  "2026-01-00",
  "0000-01-01",
  "0001-01-01",
  "9999-12-31",
  "26-01-01",
  "20260101",
  "2026-1-1",
  "01/02/2026",
  "2026-01-01 BC",
  "2026-01-01 10:00",
  "2026-01-01T10:00:00Z",
  "2026-01-01 10:00:00+02",
  "2026-01-01 10:00:00.123456-15:59",
  "2026-01-01 10:00:00+16",
  "2026-01-01 24:00:00",
  "2026-01-01 23:59:60",
  "2026-02-30 10:00",
  "10:00",
  "23:59:59.9",
  "24:00:00",
  "25:10:00",
  "10:60",
  "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
  "a0eebc999c0b4ef8bb6d6bb9bd380a11",
  "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A1",
  "äöü",
  "abcd",
  "é\u0301ab",
];

describe("what parses accepts, the server casts", () => {
  test.each(TYPES)("%s, for every edge", async (type) => {
    const bad = new Set(await refused(type, EDGES));
    for (const cell of EDGES.filter((one) => !bad.has(one))) {
      const [row] = await lab.admin(`SELECT lab.casts('${cell}', '${type}') AS ok`);
      expect(row?.["ok"], `${JSON.stringify(cell)} as ${type}`).toBe(true);
    }
  });

  test.each(TYPES)(
    "%s, for a thousand random cells of the characters that values are made of",
    async (type) => {
      const cell = fc.oneof(
        fc.string({
          unit: fc.constantFrom(..."0123456789+-.eE:T Z/aftn\n\t".split(""), "٣", "é"),
          minLength: 0,
          maxLength: 22,
        }),
        fc.uuid(),
        fc.stringMatching(/^[+-]?[0-9]{0,6}\.?[0-9]{0,5}([eE][+-]?[0-9]{1,3})?$/),
        fc.stringMatching(
          /^[0-9]{4}-[01][0-9]-[0-3][0-9]([T ][0-2][0-9]:[0-6][0-9](:[0-6][0-9])?(Z|[+-][01][0-9](:?[0-6][0-9])?)?)?$/,
        ),
        fc.stringMatching(/^[0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,9})?)?$/),
      );
      const cells = [...fc.sample(cell, { numRuns: 1000, seed: 2026 }), "f", "1"];
      const binds = new Binds();
      const accepts = isValueOf("cell", type, PLAIN_WRITING, binds);
      const accepted = `SELECT cell FROM unnest(${binds.add(cells, "text[]")}) AS cell WHERE ${accepts}`;
      const raised = `SELECT cell FROM (${accepted} OFFSET 0) AS accepted WHERE NOT lab.casts(cell, '${type}')`;
      await lab.asAuditor(async (client) => {
        expect((await client.query(accepted, binds.values)).rows.length).toBeGreaterThan(0);
        expect((await client.query(raised, binds.values)).rows).toEqual([]);
      });
    },
  );
});

describe("what parses refuses", () => {
  test("3: one code among numbers fails, and the sample shows it", async () => {
    const data: Data = { target: [{ name: "v", type: "bigint", nulls: "never" }], raw: [["007"], ["D1"]] };
    const { observed } = await lab.read(data, { check: "parses", columns: ["v"], sample: { rows: "5" } });
    expect(observed).toMatchObject({
      verdict: "fail",
      violations: "1",
      sample: [{ _src_row: "2", v: "D1" }],
    });
  });

  test("words that the server reads as a date, and numbers that are none", async () => {
    const words = ["now", "today", "tomorrow", "yesterday", "infinity", "-infinity", "epoch", "J2451187"];
    expect(await refused("date", words)).toEqual(words);
    expect(await refused("timestamp with time zone", words)).toEqual(words);
    expect(await refused("double precision", ["NaN", "Infinity", "1"])).toEqual(["NaN", "Infinity"]);
    expect(await refused("numeric", ["NaN", "1"])).toEqual(["NaN"]);
    expect(await refused("numeric(5,2)", ["999.99", "999.994", "999.995", "-1000"])).toEqual([
      "999.995",
      "-1000",
    ]);
    expect(await refused("boolean", ["true", "f", "1", "2", "ja"])).toEqual(["2", "ja"]);
  });

  test("a local time for an instant, since it may stand for two", async () => {
    expect(await refused("timestamp with time zone", ["2026-11-01 01:30", "2026-11-01 01:30-04:00"])).toEqual(
      ["2026-11-01 01:30"],
    );
  });

  test("O16: a date in another order than the declared one", async () => {
    const dayFirst = { date_format: "DD/MM/YYYY" };
    const cells = ["02/01/2014", "31/12/2012", "12/31/2012", "2014-01-02", "31/04/2014"];
    expect(await refused("date", cells, dayFirst)).toEqual(cells.slice(2));
    expect(await refused("date", ["20140102", "20140132"], { date_format: "YYYYMMDD" })).toEqual([
      "20140132",
    ]);
  });

  test("O15: amounts in another writing than the declared one", async () => {
    const german = { decimal: ",", thousands: "." };
    const cells = [
      "-1.000,00",
      "1000,00",
      "10,00",
      "1.00",
      "1.0000",
      "1,000.00",
      "(33,52)",
      "€ 5",
      "12.345.678,9",
    ];
    expect(await refused("numeric(14,2)", cells, german)).toEqual([
      "1.00",
      "1.0000",
      "1,000.00",
      "(33,52)",
      "€ 5",
    ]);
    expect(await refused("integer", ["1.000", "10.00", "1000"], german)).toEqual(["10.00"]);
    expect(await refused("double precision", ["1,5", "1.5"], { decimal: "," })).toEqual(["1.5"]);
  });

  test("a cell of very many digits fails instead of raising", async () => {
    const digits = "9".repeat(200_000);
    for (const type of ["bigint", "numeric", "numeric(10,2)", "double precision"])
      expect(await refused(type, [digits, "1"]), type).toEqual([digits]);
  });
});

test("cells of a personal column are counted and never shown", async () => {
  const target = [{ name: "v", type: "bigint", nulls: "never" as const, class: "pii" as const }];
  const { observed } = await lab.read(
    { target, raw: [["secret"]] },
    { check: "parses", columns: "all", sample: { rows: "5" } },
  );
  expect(observed).toMatchObject({ violations: "1", sample: [{ _src_row: "1" }] });
  expect(JSON.stringify(observed)).not.toContain("secret");
});

test("a thousand columns are one statement", async () => {
  const target = Array.from({ length: 1000 }, (_, n) => ({
    name: `c${n}`,
    type: "integer",
    nulls: "never" as const,
  }));
  const raw = [target.map((_, n) => (n === 999 ? "x" : "1"))];
  const { observed } = await lab.read({ target, raw }, { check: "parses", columns: "all" });
  expect(observed).toMatchObject({ verdict: "fail", violations: "1" });
  expect(observed.finding).toContain("cells: c999 1");
});

test("columns that the file or the target lacks, and types whose text is not known, are errors", async () => {
  const target = [
    { name: "v", type: "bigint", nulls: "never" as const },
    { name: "j", type: "jsonb", nulls: "never" as const },
    { name: "derived", type: "bigint", nulls: "never" as const },
  ];
  const data: Data = { target, rawColumns: ["v", "j", "extra"], raw: [["1", "{}", "x"]] };
  const errors = await lab.readAll(data, [
    { check: "parses", columns: ["derived"] },
    { check: "parses", columns: ["extra"] },
    { check: "parses", columns: "all" },
    { check: "parses", columns: ["v"], of: "staged" },
    { check: "parses", columns: ["v"] },
  ]);
  expect(errors.map((reading) => reading.observed.verdict)).toEqual([
    "error",
    "error",
    "error",
    "error",
    "pass",
  ]);
  expect(errors[2]?.observed.error).toContain("j is jsonb");
});
