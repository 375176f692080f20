// However the bytes are cut into chunks, the same comes out; and it is what an independent parser reads (case 15).
import { parse as csvParse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decoderFor, READABLE_ENCODINGS } from "../../../src/sources/csv/decode.ts";
import { read, type Settings, seen } from "./reading.ts";

const COLUMNS = ["x", "y", "z"];
const SIZES = Array.from({ length: 64 }, (_, n) => n + 1);

const cell = fc.string({
  unit: fc.constantFrom("a", "é", "😀", '"', ",", "\n", "\r\n", "\r", " ", "\\", "\t", "0", "\ufeff"),
  maxLength: 8,
});
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

test("one file with quotes, CRLF and emoji is the same at every chunk size from 1 to 64", async () => {
  const text = '\ufeffx,y,z\r\n"a ""b""",é😀,\r\n,"two\r\nlines\n","\\."\r\n"",\\N,😀\r\n';
  const settings = { limits: { newlines_in_field: 2 }, nulls: { tokens: ["\\N"] } };
  const whole = await seen(text, COLUMNS, settings);
  expect(whole).toEqual([
    COLUMNS,
    [1, 'a "b"', "é😀", null],
    [2, null, "two\r\nlines\n", "\\."],
    [3, "", null, "😀"],
    { parsed: 3n, rejected: 0n, skipped: 0n },
  ]);
  for (const size of SIZES) expect(await seen(text, COLUMNS, settings, size)).toEqual(whole);
});

test("records are those of csv-parse, at every chunk size from 1 to 64", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell), { maxLength: 12 }),
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      fc.constantFrom(...SIZES),
      async (rows, end, final, size) => {
        const text =
          [COLUMNS, ...rows].map((row) => row.map(quoted).join(",")).join(end) + (final ? end : "");
        const landed = await read(
          text,
          COLUMNS,
          { limits: { newlines_in_field: 99 }, nulls: { unquoted_empty: false } },
          size,
        );
        const oracle: string[][] = csvParse(text, { relax_column_count: false, record_delimiter: end });
        expect(landed.records).toEqual(oracle.slice(1));
        expect(landed.parsed).toBe(BigInt(oracle.length - 1));
      },
    ),
    { numRuns: 500 },
  );
});

test("what csv-parse refuses as malformed is never landed whole", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom("a", '"', ",", "\n"), maxLength: 8 }), { maxLength: 6 }),
      async (parts) => {
        const text = `x,y\n${parts.join("\n")}`;
        let oracle: string[][] | null;
        try {
          oracle = csvParse(text, { relax_column_count: false, record_delimiter: "\n" });
        } catch {
          oracle = null;
        }
        const ours = await seen(text, ["x", "y"], {
          limits: { newlines_in_field: 99 },
          nulls: { unquoted_empty: false },
        });
        if (oracle === null) expect(typeof ours).toBe("string");
        else if (typeof ours !== "string")
          expect(ours).toEqual([
            ["x", "y"],
            ...oracle.slice(1).map((cells, n) => [n + 1, ...cells]),
            expect.anything(),
          ]);
      },
    ),
    { numRuns: 1500 },
  );
});

/** Text with a fault of nearly every kind in it, and settings that let some of them pass. */
const pieces = fc.constantFrom(
  "a",
  "bb",
  '"',
  '""',
  '"q"',
  ",",
  ",",
  "\n",
  "\n",
  "\r\n",
  "\r",
  "\0",
  "é",
  "😀",
  " ",
  "\\",
  "\\N",
  "\ufeff",
  "x".repeat(30),
  `"${"y".repeat(30)}"`,
);
const bytes = fc.constantFrom(
  Buffer.from([0xff]),
  Buffer.from([0xc3]),
  Buffer.from([0xe2, 0x82]),
  Buffer.from([0xf0, 0x9f, 0x98]),
  Buffer.from([0xed, 0xa0, 0x80]),
);
const hostile = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: pieces.map((piece) => Buffer.from(piece)) },
      { weight: 1, arbitrary: bytes },
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.concat(parts));
const lenient: fc.Arbitrary<Settings> = fc.record({
  dialect: fc.record({
    newline: fc.constantFrom("uniform", "any", "any"),
    escape: fc.constantFrom('"', '"', "\\"),
    quote: fc.constantFrom('"', '"', '"', "none"),
    header: fc.constantFrom("exact_order", "none"),
  }),
  limits: fc.record({
    newlines_in_field: fc.constantFrom(0, 1, 99),
    record_bytes: fc.constantFrom(12, 40, 10_000),
    field_bytes: fc.constantFrom(10, 10_000),
  }),
  nulls: fc.record({ tokens: fc.constantFrom([], ["\\N"]) }),
  rejects: fc.record({ max: fc.constantFrom(0, 2, 1000) }),
  blank_lines: fc.constantFrom("reject", "skip_counted"),
});

/** Records and rejects in the order of their numbers: within a batch they come apart. */
const ordered = (outcome: unknown): unknown =>
  Array.isArray(outcome)
    ? outcome
        .slice(1, -1)
        .sort((a, b) => numberOf(a) - numberOf(b))
        .concat(outcome.at(-1))
    : outcome;
const numberOf = (one: unknown): number => {
  const row: unknown = Array.isArray(one)
    ? one[0]
    : one !== null && typeof one === "object" && "row" in one
      ? one.row
      : 0;
  return Number(row);
};

test("whatever the bytes, records, rejects and the fault with its line are the same at any chunk size", async () => {
  let faults = 0;
  let landed = 0;
  await fc.assert(
    fc.asyncProperty(
      hostile,
      lenient,
      fc.constantFrom(1, 2, 3, 5, 7, 16, 33),
      async (rest, settings, size) => {
        const text = Buffer.concat([Buffer.from("x,y\n"), rest]);
        const whole = ordered(await seen(text, ["x", "y"], settings, 100_000));
        expect(ordered(await seen(text, ["x", "y"], settings, size))).toEqual(whole);
        if (typeof whole === "string") {
          faults += 1;
          expect(whole).toMatch(/^f\.csv:\d+(, record \d+)?(, column [xy])?: /);
        } else landed += 1;
      },
    ),
    { numRuns: 4000 },
  );
  // The generator is of use only while it reaches both ends.
  expect(faults).toBeGreaterThan(200);
  expect(landed).toBeGreaterThan(200);
});

test("every encoding gives the text that was written, at any chunk size", () => {
  const writers: Readonly<Record<string, (text: string) => Buffer>> = {
    "utf-8": (text) => Buffer.from(text),
    "utf-16le": (text) => Buffer.from(text, "utf16le"),
    "utf-16be": (text) => Buffer.from(text, "utf16le").swap16(),
    "iso-8859-1": (text) => Buffer.from(text, "latin1"),
  };
  expect(READABLE_ENCODINGS).toEqual(expect.arrayContaining(Object.keys(writers)));
  fc.assert(
    fc.property(
      fc.constantFrom(...READABLE_ENCODINGS.filter((encoding) => Object.hasOwn(writers, encoding))),
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.integer({ min: 1, max: 9 }),
      (encoding, any, size) => {
        const text = encoding === "iso-8859-1" ? any.replace(/[^\0-\u00ff]/g, "ÿ") : any;
        const written = writers[encoding]?.(text) ?? Buffer.alloc(0);
        const decoder = decoderFor(encoding);
        if (decoder === null) throw new Error(`${encoding} is not read`);
        let found = "";
        for (let at = 0; at < written.length; at += size) {
          const decoded = decoder.push(written.subarray(at, at + size));
          expect(decoded.fault).toBeNull();
          found += decoded.text;
        }
        expect(decoder.end()).toEqual({ text: "", fault: null });
        expect(found).toBe(text);
      },
    ),
    { numRuns: 1000 },
  );
});

test("a byte that is no UTF-8 is found at its offset, as the platform's own decoder finds that there is one", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (raw, size) => {
      const written = Buffer.concat([Buffer.from("é"), raw]);
      const decoder = decoderFor("utf-8");
      if (decoder === null) throw new Error("utf-8 is not read");
      let text = "";
      let offset: bigint | null = null;
      for (let at = 0; at < written.length && offset === null; at += size) {
        const decoded = decoder.push(written.subarray(at, at + size));
        text += decoded.text;
        offset = decoded.fault?.offset ?? null;
      }
      if (offset === null) offset = decoder.end().fault?.offset ?? null;
      const replaced = written.toString("utf8");
      const valid = Buffer.from(replaced).equals(written);
      expect(offset === null).toBe(valid);
      if (offset !== null) {
        expect(Buffer.byteLength(text)).toBe(Number(offset));
        expect(Buffer.from(text).equals(written.subarray(0, Number(offset)))).toBe(true);
      }
    }),
    { numRuns: 3000 },
  );
});
