// Landing's reading half: what is a record, what is refused and where (cases 1–16, O01–O12).
import { describe, expect, test } from "vitest";
import { recordReader } from "../../../src/sources/csv/csv-source.ts";
import { inChunks, read, refusal, type Settings, sha, sourceOf } from "./reading.ts";

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
      /^f\.csv:2, record 1: column n: a cell holds 2 line ends/,
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
      /^f\.csv:2, record 1, column a: a byte is not UTF-8 \(byte 5 of the text\)/,
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
    ["columns in another order", "b,a\n1,2\n", ["a", "b"], {}, /the header has b where the contract has a/],
    ["an undeclared column (34)", "a,b\n1,2\n", ["a"], {}, /does not declare: b/],
    [
      "a stray quote",
      'a,b\n1,x"y\n',
      ["a", "b"],
      {},
      /^f\.csv:2, record 1: column b: a quote stands inside a cell that has none around it/,
    ],
    [
      "text after a closing quote",
      'a,b\n"1"x,2\n',
      ["a", "b"],
      {},
      /^f\.csv:2, record 1: column a: text follows the closing quote/,
    ],
    [
      "a record beyond the limit (16)",
      `a,b\n1,"${"x".repeat(5000)}`,
      ["a", "b"],
      { limits: { record_bytes: 1000 } },
      /^f\.csv:2, record 1, column b: the record is longer than 1000 bytes; the quote that opens here is perhaps never closed/,
    ],
    [
      "a cell beyond the limit (16)",
      `a\n${"x".repeat(300)}\n`,
      ["a"],
      { limits: { field_bytes: 262 } },
      /^f\.csv:2, record 1: column a: a cell is longer than 262 bytes; the record begins in line 2/,
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
      /^f\.csv:2, record 1, column a: the byte 0x81 is not defined in windows-1252 \(byte 2 of the text\)/,
    ],
    [
      "an unclosed quote in a column that the file has elsewhere than the contract",
      'b,a\n1,"x',
      ["a", "b"],
      { dialect: { header: "exact_set" } },
      /^f\.csv:2, record 1, column a: a quote opens here/,
    ],
    [
      "a quote that opens lines after its record began",
      'a,b,c\n1,"two\nlines","x\n2,y,z\n',
      ["a", "b", "c"],
      { limits: { newlines_in_field: 9 } },
      /^f\.csv:3, record 1, column c: a quote opens here and is never closed/,
    ],
    [
      "a record that is too long without a quote",
      `a,b\n1,2\n1,${"x".repeat(50)}\n`,
      ["a", "b"],
      { limits: { record_bytes: 20 } },
      /^f\.csv:3, record 2: the record is longer than 20 bytes \(record-too-long\)/,
    ],
    [
      "a NUL byte after a stray quote",
      'a,b\n1,x"y\0\n',
      ["a", "b"],
      { rejects: { max: 9 } },
      /^f\.csv:2, record 1, column b: a cell holds a NUL byte/,
    ],
    [
      "a NUL byte within quotes",
      'a,b\n1,"x\0"\n',
      ["a", "b"],
      {},
      /^f\.csv:2, record 1, column b: a cell holds a NUL byte/,
    ],
    [
      "UTF-16 without a mark",
      Buffer.from("id,v\n", "utf16le"),
      ["id", "v"],
      {},
      /^f\.csv:1: .*NUL byte.*looks like UTF-16/,
    ],
    [
      "UTF-16 of the other byte order",
      Buffer.from("\uFEFFa\n", "utf16le"),
      ["a"],
      { dialect: { encoding: "utf-16be" } },
      /the byte order mark is that of utf-16le/,
    ],
    [
      "UTF-8 with its mark, declared as windows-1252",
      "\uFEFFa\n1\n",
      ["a"],
      { dialect: { encoding: "windows-1252" } },
      /byte order mark of UTF-8, the contract declares windows-1252/,
    ],
    [
      "half of a surrogate pair",
      Buffer.concat([
        Buffer.from("a\nb", "utf16le"),
        Buffer.from([0x00, 0xd8]),
        Buffer.from("\n", "utf16le"),
      ]),
      ["a"],
      { dialect: { encoding: "utf-16le" } },
      /^f\.csv:2, record 1, column a: half of a surrogate pair is not utf-16le \(byte 6 of the text\)/,
    ],
    [
      "a file that ends within a character",
      Buffer.from([0x61, 0x0a, 0xc3]),
      ["a"],
      {},
      /^f\.csv:2, record 1, column a: the file ends within a character of utf-8 \(byte 2/,
    ],
    [
      "names that differ in case, where the contract goes by name (12)",
      "Amt,amt\n",
      ["Amt", "amt"],
      { dialect: { header: "exact_set" } },
      /columns 1 and 2 differ in case only/,
    ],
    [
      "a name that PostgreSQL has taken",
      "ctid,b\n",
      ["ctid", "b"],
      {},
      /column 1 "ctid" is the name of a system column/,
    ],
    [
      "more columns than a table holds",
      `${Array.from({ length: 1600 }, (_, n) => `c${n}`).join(",")}\n`,
      ["c0"],
      { extra_columns: "land_only" },
      /1600 columns, PostgreSQL holds 1599/,
    ],
    [
      "a padded name (O13)",
      "id, code\n",
      ["id", "code"],
      {},
      /column 2 " code" begins or ends with white space/,
    ],
    [
      "a header that is too long",
      `a,${"x".repeat(50)}\n`,
      ["a"],
      { limits: { record_bytes: 20 } },
      /^f\.csv:1: the header is not readable \(record-too-long\)/,
    ],
    [
      "LF where CRLF is declared",
      "a\r\n1\n",
      ["a"],
      { dialect: { newline: "crlf" } },
      /^f\.csv:2.*ends with LF, the contract says CRLF/,
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

test("names that differ in case only are two columns where the contract goes by position (12)", async () => {
  for (const [text, header] of [
    ["Amt,amt\n1,2\n", "exact_order"],
    ["1,2\n", "none"],
  ] as const)
    expect((await read(text, ["Amt", "amt"], { dialect: { header } })).records).toEqual([["1", "2"]]);
});

test.each([
  ["id;amount\n1;1,10\n", ";"],
  ['"id"\t"amount"\n', "\\t"],
])(
  "a header cut at another character is shown, and its delimiter suggested (O09)",
  async (text, delimiter) => {
    const failed = await read(text, ["id", "amount"], { dialect: { quote: "none" } }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({
      message: expect.stringMatching(/^f\.csv:1: the header is one column, ".*"; cut at "/),
      next: `Declare \`delimiter: "${delimiter}"\`.`,
    });
  },
);

test("codes and long numbers stay as they were written (3, O14)", async () => {
  const text = "a,b\n007,D1\n1.00E+03,9007199254740993\n";
  expect((await read(text, ["a", "b"])).records).toEqual([
    ["007", "D1"],
    ["1.00E+03", "9007199254740993"],
  ]);
});

describe("a bad record", () => {
  test("that is too long is passed over to the end of its line, and kept cut", async () => {
    const text = `a,b\n1,2\n3,${"é".repeat(20_000)}\n4,5\n`;
    const landed = await read(text, ["a", "b"], { rejects: { max: 1 }, limits: { record_bytes: 9000 } });
    expect([landed.records, landed.rows, landed.rejects]).toEqual([
      [
        ["1", "2"],
        ["4", "5"],
      ],
      [1, 3],
      [{ line: 3, reason: "record-too-long" }],
    ]);
  });
  test("is kept as delivered to 8 KiB, never ending within a character", async () => {
    const text = `a,b\nx${"😀".repeat(5000)}\n`;
    const reader = await recordReader(
      { root: "/", path: "f.csv", source: sourceOf(["a", "b"], { rejects: { max: 1 } }) },
      inChunks(Buffer.from(text), 1000),
      sha(Buffer.from(text)),
    );
    const kept: string[] = [];
    for await (const batch of reader.batches()) kept.push(...batch.rejects.map((reject) => reject.text));
    expect(kept).toEqual([`x${"😀".repeat(2047)}`]);
  });
  test("whose limit is met to the byte is a good one", async () => {
    const landed = await read(`a\n${"é".repeat(10)}\nxx\n`, ["a"], {
      limits: { record_bytes: 21, field_bytes: 20 },
    });
    expect(landed.records).toEqual([["é".repeat(10)], ["xx"]]);
  });
});

test("what is readable before a byte that is not is judged first", async () => {
  const bytes = Buffer.concat([Buffer.from("a,b\n1\n2,"), Buffer.from([0xff]), Buffer.from("\n")]);
  expect(await refusal(bytes, ["a", "b"])).toMatch(/^f\.csv:2, record 1: .*ragged-row/);
  expect(await refusal(bytes, ["a", "b"], { rejects: { max: 1 } })).toMatch(
    /^f\.csv:3, record 2, column b: a byte is not UTF-8 \(byte 8 /,
  );
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
