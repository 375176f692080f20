// Landing's reading half: what is a record, what is refused and where, whatever the chunks (cases 1–16, O01–O12).
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parse as csvParse } from "csv-parse/sync";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sourceSchema } from "../../../src/domain/contract/source.ts";
import { LandingFault } from "../../../src/domain/landing.ts";
import type { RecordReader } from "../../../src/ports.ts";
import { csvSource, recordReader } from "../../../src/sources/csv/csv-source.ts";
import type { PlainBytes } from "../../../src/sources/csv/delivered-file.ts";

type Settings = Record<string, unknown>;
const sourceOf = (columns: readonly string[], settings: Settings = {}) =>
  sourceSchema.parse({ kind: "csv", path: "f.csv", columns, ...settings });

const sha = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Bytes in chunks of a size, as an opened file gives them. */
function inChunks(bytes: Buffer, size: number): PlainBytes {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return {
    chunks: chunks(),
    read: () => ({ delivered: BigInt(bytes.length), plain: BigInt(bytes.length) }),
    sha256: () => sha(bytes),
  };
}

interface Landed {
  readonly records: readonly (readonly (string | null)[])[];
  readonly rows: readonly number[];
  readonly rejects: readonly { readonly line: number; readonly reason: string }[];
  readonly parsed: bigint;
}

async function drain(reader: RecordReader): Promise<Landed> {
  const records: (readonly (string | null)[])[] = [];
  const rows: number[] = [];
  const rejects: { line: number; reason: string }[] = [];
  for await (const batch of reader.batches()) {
    for (const record of batch.records) {
      records.push(record.cells);
      rows.push(record.row);
    }
    for (const { line, reason } of batch.rejects) rejects.push({ line, reason });
  }
  return { records, rows, rejects, parsed: reader.totals().parsed };
}

const read = async (
  text: string | Buffer,
  columns: readonly string[],
  settings: Settings = {},
  size = 65_536,
): Promise<Landed> => {
  const bytes = Buffer.from(text);
  return drain(
    await recordReader(
      { root: "/", path: "f.csv", source: sourceOf(columns, settings) },
      inChunks(bytes, size),
      sha(bytes),
    ),
  );
};

/** The refusal's sentence. */
async function refusal(
  text: string | Buffer,
  columns: readonly string[],
  settings: Settings = {},
): Promise<string> {
  try {
    await read(text, columns, settings);
  } catch (error) {
    if (error instanceof LandingFault) return error.message;
    throw error;
  }
  return "landed";
}

describe("records", () => {
  test("line breaks inside quotes belong to the cell, byte for byte, LF in a CRLF file too (O02, 11)", async () => {
    const landed = await read('id,note\r\n1,"a\nb"\r\n2,"c\r\nd"\r\n3,e\r\n', ["id", "note"], {
      limits: { newlines_in_field: 5 },
    });
    expect(landed.records).toEqual([
      ["1", "a\nb"],
      ["2", "c\r\nd"],
      ["3", "e"],
    ]);
  });
  test("a line with only \\. is data, quoted or not (7)", async () => {
    expect((await read('a\nx\n"\\."\n\\.\ny\n', ["a"])).records).toEqual([["x"], ["\\."], ["\\."], ["y"]]);
  });
  test("null rules tell a bare empty cell, a quoted one and tokens apart (14, O12, O18)", async () => {
    const text = 'a,b\n"",x\n,x\n\\N,x\n"\\N",x\nNULL,x\n';
    expect((await read(text, ["a", "b"])).records.map(([a]) => a)).toEqual(["", null, "\\N", "\\N", "NULL"]);
    expect((await read(text, ["a", "b"], { nulls: { tokens: ["\\N"] } })).records.map(([a]) => a)).toEqual([
      "",
      null,
      null,
      "\\N",
      "NULL",
    ]);
    expect(
      (await read(text, ["a", "b"], { nulls: { quoted_empty: true, unquoted_empty: false } })).records.map(
        ([a]) => a,
      ),
    ).toEqual([null, "", "\\N", "\\N", "NULL"]);
  });
  test("a byte order mark at the start is none of the header; a second one is content (9, O01)", async () => {
    expect((await read('\uFEFF"id",v\n1,\uFEFFx\n', ["id", "v"])).records).toEqual([["1", "\uFEFFx"]]);
    expect(await refusal("\uFEFFid\n1\n", ["id"], { dialect: { bom: "forbid" } })).toMatch(
      /f\.csv:1: .*forbids/,
    );
    expect(await refusal("id\n1\n", ["id"], { dialect: { bom: "require" } })).toMatch(/requires/);
  });
  test("a blank line is a record in a file of one column, and a reject or skipped elsewhere (42)", async () => {
    expect((await read("a\nx\n\ny\n", ["a"])).records).toEqual([["x"], [null], ["y"]]);
    expect(
      (await read("a,b\n1,2\n\n3,4\n", ["a", "b"], { blank_lines: "skip_counted" })).records,
    ).toHaveLength(2);
    expect(await refusal("a,b\n1,2\n\n3,4\n", ["a", "b"])).toMatch(/f\.csv:3.*blank/);
  });
  test("other delimiters, quotes and escapes are taken as declared, and nothing is sniffed (2, O09)", async () => {
    expect(
      (await read("a\tb\n1\t2;3\n", ["a", "b"], { dialect: { delimiter: "\t", quote: "none" } })).records,
    ).toEqual([["1", "2;3"]]);
    expect(
      (await read('a;b\n"x\\"y";"a\\\\b"\n', ["a", "b"], { dialect: { delimiter: ";", escape: "\\" } }))
        .records,
    ).toEqual([['x"y', "a\\b"]]);
    const many = `name,firm\n${"plain,row\n".repeat(20_500)}Bob,"Beth, Co."\n`;
    const landed = await read(many, ["name", "firm"]);
    expect([landed.parsed, landed.records.at(-1)]).toEqual([20_501n, ["Bob", "Beth, Co."]]);
  });
  test("a header `__proto__` is an ordinary column (12)", async () => {
    expect((await read("__proto__\nx\n", ["__proto__"])).records).toEqual([["x"]]);
  });
});

describe("refused, with the line where it began", () => {
  test.each<[string, string | Buffer, readonly string[], Settings, RegExp]>([
    [
      "an unclosed quote (O05)",
      'id,n\n1,a\n2,"b\n3,c\n',
      ["id", "n"],
      { limits: { newlines_in_field: 9 } },
      /^f\.csv:3, record 2, column n: a quote opens here and is never closed/,
    ],
    [
      "a quote that swallows lines (1)",
      'id,n\n1,"a\n2,b\n3,c"\n4,d\n',
      ["id", "n"],
      {},
      /^f\.csv:2, record 1: a cell holds 2 line ends/,
    ],
    [
      "a NUL byte (8, O03)",
      "a,b\n1,x\n2,y\0z\n",
      ["a", "b"],
      {},
      /^f\.csv:3, record 2, column b: a cell holds a NUL byte/,
    ],
    [
      "bytes that are no UTF-8 (13)",
      Buffer.from([0x61, 0x0a, 0x63, 0x61, 0x66, 0xe9, 0x0a]),
      ["a"],
      {},
      /^f\.csv:\d+.*byte 5 of the text/,
    ],
    [
      "UTF-16 declared as UTF-8 (O04)",
      Buffer.from("\uFEFFid\tv\r\n", "utf16le"),
      ["id", "v"],
      {},
      /looks like UTF-16/,
    ],
    [
      "a ragged row, too many fields (O06)",
      "a,b\n1,2,,\n",
      ["a", "b"],
      {},
      /^f\.csv:2, record 1: record 1 has 4 fields, the header has 2/,
    ],
    [
      "a ragged row, too few (O07)",
      "a,b,c\n1,2,3\n1,2\n",
      ["a", "b", "c"],
      {},
      /^f\.csv:3, record 2: record 2 has 2 fields/,
    ],
    [
      "mixed line ends (10, O08)",
      "a,b\n1,x\r\n",
      ["a", "b"],
      {},
      /^f\.csv:2.*ends with CRLF, those before with LF/,
    ],
    ["a lone carriage return", "a,b\n1,x\r2,y\n", ["a", "b"], {}, /^f\.csv:2.*carriage return stands alone/],
    [
      "duplicate headers (12, O10)",
      "id,amt,amt\n",
      ["id", "amt"],
      {},
      /columns 2 and 3 have the same name "amt" \(duplicate header\)/,
    ],
    ["an empty header name (O10)", "id,\n", ["id"], {}, /column 2 "" is empty/],
    ["renamed columns (O11)", "id,total\n1,2\n", ["id", "amount"], {}, /lacks amount and has total instead/],
    ["columns in another order", "b,a\n1,2\n", ["a", "b"], {}, /has b where the contract has a/],
    ["an undeclared column (34)", "a,b\n1,2\n", ["a"], {}, /does not declare: b/],
    [
      "a stray quote",
      'a,b\n1,x"y\n',
      ["a", "b"],
      {},
      /^f\.csv:2, record 1: a quote stands inside the cell of column b/,
    ],
    [
      "text after a closing quote",
      'a,b\n"1"x,2\n',
      ["a", "b"],
      {},
      /text follows the closing quote of column a/,
    ],
    [
      "a record beyond the limit (16)",
      `a,b\n1,"${"x".repeat(5000)}`,
      ["a", "b"],
      { limits: { record_bytes: 1000 } },
      /^f\.csv:2, record 1: the record is longer than 1000 bytes; a quote that opens in it is perhaps never closed/,
    ],
    [
      "a cell beyond the limit (16)",
      `a\n${"x".repeat(300)}\n`,
      ["a"],
      { limits: { field_bytes: 262 } },
      /a cell is longer than 262 bytes/,
    ],
    ["more records than declared", "a\n1\n2\n3\n", ["a"], { limits: { records: 2 } }, /more than 2 records/],
    ["an empty file", "", ["a"], {}, /the file is empty/],
    [
      "an encoding that is not read yet",
      "a\n1\n",
      ["a"],
      { dialect: { encoding: "cp850" } },
      /cp850 is not yet supported/,
    ],
    [
      "a byte that the encoding does not define",
      Buffer.from([0x61, 0x0a, 0x81, 0x0a]),
      ["a"],
      { dialect: { encoding: "windows-1252" } },
      /0x81 is not defined in windows-1252/,
    ],
  ])("%s", async (_, text, columns, settings, sentence) => {
    expect(await refusal(text, columns, settings)).toMatch(sentence);
  });

  test("bad records are set aside as far as declared, each with its line; good ones are whole (4)", async () => {
    const text = "a,b\n1\n2,3\n4,5,6\n";
    expect(await read(text, ["a", "b"], { rejects: { max: 2 } })).toEqual({
      records: [["2", "3"]],
      rows: [2],
      rejects: [
        { line: 2, reason: "ragged-row" },
        { line: 4, reason: "ragged-row" },
      ],
      parsed: 3n,
    });
    expect(await refusal(text, ["a", "b"], { rejects: { max: 1 } })).toMatch(
      /^f\.csv:2, record 1: .*2 records are no good, 1 are allowed/,
    );
    expect(await refusal(text, ["a", "b"], { rejects: { max: 9, rate: "0.5" } })).toMatch(
      /a share of 0\.5 is allowed/,
    );
  });
});

describe("encodings", () => {
  test("UTF-16 with its mark, windows-1252 and ISO-8859-15 give exact text (13, O04)", async () => {
    expect(
      (
        await read(
          Buffer.from("\uFEFFid\tv\r\n1\té😀\r\n", "utf16le"),
          ["id", "v"],
          { dialect: { encoding: "utf-16le", delimiter: "\t" } },
          3,
        )
      ).records,
    ).toEqual([["1", "é😀"]]);
    expect(
      (
        await read(Buffer.from([0x61, 0x0a, 0x63, 0x61, 0x66, 0xe9, 0x80, 0x0a]), ["a"], {
          dialect: { encoding: "windows-1252" },
        })
      ).records,
    ).toEqual([["café€"]]);
    expect(
      (await read(Buffer.from([0x61, 0x0a, 0xa4, 0x0a]), ["a"], { dialect: { encoding: "iso-8859-15" } }))
        .records,
    ).toEqual([["€"]]);
  });
});

describe("whatever the chunks (15)", () => {
  const cell = fc.string({
    unit: fc.constantFrom("a", "é", "😀", '"', ",", "\n", "\r\n", " ", "\\", "\t", "0"),
    maxLength: 8,
  });
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  test("records are those of csv-parse, at every chunk size from 1 to 64", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell), { maxLength: 12 }),
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
        fc.integer({ min: 1, max: 64 }),
        async (rows, end, final, size) => {
          const text =
            [["x", "y", "z"], ...rows].map((row) => row.map(quoted).join(",")).join(end) + (final ? end : "");
          const landed = await read(
            text,
            ["x", "y", "z"],
            { limits: { newlines_in_field: 99 }, nulls: { unquoted_empty: false } },
            size,
          );
          const oracle: string[][] = csvParse(text, {
            from_line: 1,
            relax_column_count: false,
            record_delimiter: end,
          });
          expect(landed.records).toEqual(oracle.slice(1));
          expect(landed.parsed).toBe(BigInt(oracle.length - 1));
        },
      ),
      { numRuns: 400 },
    );
  });

  test("any bytes are landed or refused with a sentence, and the chunks change nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        async (bytes, size) => {
          const text = Buffer.concat([Buffer.from("a,b\n"), bytes]);
          const outcome = async (chunk: number): Promise<unknown> =>
            read(text, ["a", "b"], { rejects: { max: 99 } }, chunk).catch((error: unknown) => {
              if (error instanceof LandingFault)
                return error.message.replace(/byte \d+/, "byte").replace(/:\d+/, "");
              throw error;
            });
          const [whole, pieces] = [await outcome(9999), await outcome(size)];
          expect(typeof whole).toBe(typeof pieces);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe("a delivered file", () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "wap-csv-"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const place = (name: string, bytes: string | Buffer) => {
    writeFileSync(join(root, name), bytes);
    return csvSource({ root, path: name, source: sourceOf(["a"]) });
  };

  test("gzip is recognised by its bytes; damaged gzip is refused", async () => {
    const opened = await place("x.csv.gz", gzipSync("a\n1\n")).open();
    expect(opened.ok && (await drain(opened.value)).records).toEqual([["1"]]);
    const damaged = await place("y.csv.gz", gzipSync(`a\n${"1\n".repeat(9999)}`).subarray(0, 40)).open();
    const ended = damaged.ok
      ? await drain(damaged.value).catch((error: Error) => error.message)
      : damaged.refusal.message;
    expect(ended).toMatch(/gzip data is damaged or cut off/);
  });
  test("a Git LFS pointer is refused with the remedy", async () => {
    const opened = await place("l.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n").open();
    expect(opened).toMatchObject({
      ok: false,
      refusal: { code: "landing_failed", next: expect.stringContaining("git lfs pull") },
    });
  });
  test("that changes while it is read is refused (E4)", async () => {
    const source = place("c.csv", "a\n1\n");
    await source.identify();
    writeFileSync(join(root, "c.csv"), "a\n2\n");
    const opened = await source.open();
    if (!opened.ok) throw new Error("not opened");
    await expect(drain(opened.value)).rejects.toMatchObject({ code: "source_changed" });
  });
  test("outside the repository, or missing, is not read", async () => {
    for (const path of ["../outside.csv", "missing.csv"]) {
      await expect(csvSource({ root, path, source: sourceOf(["a"]) }).identify()).rejects.toMatchObject({
        code: "source_unreadable",
      });
    }
  });
});
