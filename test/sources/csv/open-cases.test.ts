// Deliveries as people met them (open cases O01 to O12), each landed or refused as its table says.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { csvSource } from "../../../src/sources/csv/csv-source.ts";
import { drain, type Landed, type Settings, sha, sourceOf } from "./reading.ts";

const FOLDER = join(import.meta.dirname, "../../fixtures/csv");

interface Delivery {
  readonly landed: Landed | null;
  readonly header: readonly string[];
  readonly refused: string;
  readonly next: string;
}

async function deliver(file: string, columns: readonly string[], settings: Settings = {}): Promise<Delivery> {
  const path = `${file}.csv`;
  const source = csvSource({ root: FOLDER, path, source: sourceOf(columns, settings) });
  const bytes = readFileSync(join(FOLDER, path));
  expect(await source.identify()).toEqual({ bytes: BigInt(bytes.length), sha256: sha(bytes) });
  const opened = await source.open();
  const refused = { landed: null, header: [] };
  if (!opened.ok) return { ...refused, refused: opened.refusal.message, next: opened.refusal.next ?? "" };
  try {
    const landed = await drain(opened.value);
    expect(opened.value.totals()).toMatchObject({ bytes: BigInt(bytes.length), sha256: sha(bytes) });
    return { landed, header: opened.value.header, refused: "", next: "" };
  } catch (error) {
    if (error instanceof Error && "next" in error)
      return { ...refused, refused: error.message, next: String(error.next) };
    throw error;
  }
}

test("O01: a byte order mark is no part of the first name, and is counted among the delivered bytes", async () => {
  const { landed, header } = await deliver("01-bom-header", ["id", "title"]);
  expect([header, landed?.records]).toEqual([
    ["id", "title"],
    [
      ["1", "Alpha"],
      ["2", "Beta"],
    ],
  ]);
});

test("O02: line breaks inside quotes make no records and stay as they are", async () => {
  const settings = { limits: { newlines_in_field: 3 }, dialect: { newline: "uniform" } };
  const { landed } = await deliver("02-embedded-newlines", ["id", "note"], settings);
  expect([landed?.parsed, landed?.records]).toEqual([
    3n,
    [
      ["1", "first\nsecond"],
      ["2", "plain"],
      ["3", "a\r\nb\n\nc"],
    ],
  ]);
  expect((await deliver("02-embedded-newlines", ["id", "note"])).refused).toMatch(
    /:2, record 1: column note: /,
  );
});

test("O03: a NUL byte names its record and column, also where rejects are allowed", async () => {
  for (const settings of [{}, { rejects: { max: 100 } }])
    expect((await deliver("03-nul-byte", ["id", "note"], settings)).refused).toMatch(
      /^03-nul-byte\.csv:3, record 2, column note: a cell holds a NUL byte/,
    );
});

test("O04: UTF-16 is refused as UTF-8 with a hint, and read exactly where it is declared", async () => {
  expect((await deliver("04-utf16-unicode-text", ["id", "city"])).refused).toMatch(/looks like UTF-16/);
  const { landed } = await deliver("04-utf16-unicode-text", ["id", "city"], {
    dialect: { encoding: "utf-16le", delimiter: "\t" },
  });
  expect(landed?.records).toEqual([
    ["1", "Málaga"],
    ["2", "Łódź"],
  ]);
});

test("O05: an unclosed quote is refused at the line where it opens", async () => {
  for (const settings of [{ limits: { newlines_in_field: 50 } }, { rejects: { max: 9 } }, {}]) {
    const { refused, next } = await deliver("05-unclosed-quote", ["id", "name"], settings);
    expect(refused).toMatch(/^05-unclosed-quote\.csv:3, record 2, column name: a quote opens here/);
    expect(next).toMatch(/Close the quote/);
  }
});

test.each([
  ["06-extra-trailing-fields", 2],
  ["06-extra-trailing-fields.input-not-empty", 1],
])("O06: %s has more fields than names, and is refused", async (file, records) => {
  const columns = ["vendor", "pickup_at", "dropoff_at", "fare"];
  const { refused, next } = await deliver(file, columns);
  expect(refused).toMatch(/:2, record 1: record 1 has \d fields, the header has 4/);
  expect(next).toMatch(/source\.rejects/);
  const { landed } = await deliver(file, columns, { rejects: { max: 2 } });
  expect([landed?.records, landed?.rejects.length]).toEqual([[], records]);
});

test("O07: short rows are refused with their line, never shifted or filled", async () => {
  const columns = ["trip_id", "arrival", "departure", "stop_id", "seq", "headsign"];
  expect((await deliver("07-short-rows", columns)).refused).toMatch(
    /:3, record 2: record 2 has 4 fields, the header has 6/,
  );
  const { landed } = await deliver("07-short-rows", columns, { rejects: { max: 2 } });
  expect(landed).toMatchObject({
    rows: [1],
    rejects: [
      { line: 3, reason: "ragged-row" },
      { line: 4, reason: "ragged-row" },
    ],
  });
});

test("O08: mixed line ends are refused at the first that differs, or read without a trace in the values", async () => {
  expect((await deliver("08-mixed-line-ends", ["service_id", "monday"])).refused).toMatch(
    /:5, record 4: the line ends with LF, those before with CRLF/,
  );
  const { landed } = await deliver("08-mixed-line-ends", ["service_id", "monday"], {
    dialect: { newline: "any" },
  });
  expect(landed?.records).toEqual([
    ["A", "1"],
    ["B", "0"],
    ["C", "1"],
    ["D", "0"],
  ]);
});

test("O09: a `sep=` line is named, whatever delimiter is declared", async () => {
  for (const delimiter of [",", ";"]) {
    const { refused, next } = await deliver("09-semicolon-and-sep-line", ["id", "amount"], {
      dialect: { delimiter },
    });
    expect(refused).toMatch(/:1: the file begins with a `sep=` line/);
    expect(next).toMatch(/source\.dialect\.delimiter/);
  }
});

describe("O10: duplicate and empty headers", () => {
  test("are all listed at once", async () => {
    const { refused } = await deliver("10-duplicate-and-empty-headers", ["id", "amount"]);
    expect(refused).toMatch(/:1: /);
    expect(refused).toMatch(/column 4 "" is empty/);
    expect(refused).toMatch(/columns 2 and 3 have the same name "amount" \(duplicate header\)/);
    expect(refused).toMatch(
      /columns 1 and 5 differ in case only or are the same \(duplicate header\): id, ID/,
    );
  });
});

test("O11: columns of another era are listed as missing and as unexpected", async () => {
  const old = ["Province/State", "Country/Region", "Last Update", "Confirmed"];
  const current = ["FIPS", "Admin2", "Province_State", "Country_Region", "Last_Update", "Confirmed"];
  expect((await deliver("11-renamed-columns.old", old)).landed?.parsed).toBe(1n);
  expect((await deliver("11-renamed-columns.new", current)).landed?.parsed).toBe(1n);
  expect((await deliver("11-renamed-columns.new", old)).refused).toMatch(
    /lacks Province\/State, Country\/Region, Last Update and has FIPS, Admin2, Province_State, Country_Region, Last_Update instead/,
  );
  expect((await deliver("11-renamed-columns.old", current)).refused).toMatch(
    /lacks FIPS, .* and has Province\/State, /,
  );
});

test("O12: a bare empty cell is null and a quoted one is empty text, or both alike where declared", async () => {
  const of = async (nulls: Settings) =>
    (await deliver("12-quoted-empty-and-null", ["id", "code"], { nulls })).landed?.records.map(
      ([, code]) => code,
    );
  expect(await of({})).toEqual([null, "", "X"]);
  expect(await of({ quoted_empty: true })).toEqual([null, null, "X"]);
  expect(await of({ unquoted_empty: false })).toEqual(["", "", "X"]);
});
