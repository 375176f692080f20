// Bytes to text in the declared encoding; a byte that the encoding does not define is an error, never replaced.
import { isAscii, isUtf8 } from "node:buffer";
import type { Encoding } from "../../domain/contract/source.ts";

/** Where the text stops being readable; `offset` counts bytes of the whole plain text from 0. */
export interface DecodeFault {
  readonly offset: bigint;
  readonly what: string;
}

/** All text before the fault is given, so that the fault gets the line and record in which it lies. */
export interface Decoded {
  readonly text: string;
  readonly fault: DecodeFault | null;
}

/** Never splits a character: what a chunk leaves incomplete waits for the next one. Nothing may be pushed after a fault. */
export interface Decoder {
  readonly push: (chunk: Buffer) => Decoded;
  /** What is left at the end. */
  readonly end: () => Decoded;
}

// 0x80 to 0x9F of windows-1252; the five undefined bytes are 0. TextDecoder is wrong about this range on some Node versions.
const WINDOWS_1252 = [
  0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
  0x017d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
  0x0153, 0, 0x017e, 0x0178,
];
const LATIN_9: Readonly<Record<number, number>> = {
  164: 0x20ac,
  166: 0x160,
  168: 0x161,
  180: 0x17d,
  184: 0x17e,
  188: 0x152,
  189: 0x153,
  190: 0x178,
};

const identity = Array.from({ length: 256 }, (_, byte) => byte);
const TABLES: Readonly<Partial<Record<Encoding, readonly number[]>>> = {
  "iso-8859-1": identity,
  "iso-8859-15": identity.map((byte) => LATIN_9[byte] ?? byte),
  "windows-1252": identity.map((byte) =>
    byte >= 0x80 && byte < 0xa0 ? (WINDOWS_1252[byte - 0x80] ?? 0) : byte,
  ),
};

/** Encodings that this version reads; the contract language knows more. */
export const READABLE_ENCODINGS: readonly Encoding[] = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "iso-8859-1",
  "iso-8859-15",
];

export const UTF16_HINT = "; it looks like UTF-16: declare `encoding: utf-16le` (or utf-16be)";

const NOTHING = Buffer.alloc(0);

/** A decoder for the encoding, or null for one that this version does not read. */
export function decoderFor(encoding: Encoding): Decoder | null {
  if (encoding === "utf-8") return utf8Decoder();
  if (encoding === "utf-16le" || encoding === "utf-16be") return utf16Decoder(encoding);
  const table = TABLES[encoding];
  return table === undefined ? null : tableDecoder(encoding, table);
}

/** Bytes that a UTF-8 character with this first byte has; 0 for a byte that begins none. */
const utf8Length = (lead: number): number =>
  lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;

/** Length without a character at the end of which bytes are still to come. */
function wholeUtf8(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const lead = bytes[bytes.length - back] ?? 0;
    if (lead >= 0xc0) return utf8Length(lead) > back ? bytes.length - back : bytes.length;
    if (lead < 0x80) break;
  }
  return bytes.length;
}

/** Offset of the first byte that no valid character begins with. */
function firstInvalid(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const length = utf8Length(bytes[at] ?? 0);
    if (length === 0 || (length > 1 && !isUtf8(bytes.subarray(at, at + length)))) break;
    at += length;
  }
  return at;
}

function utf8Decoder(): Decoder {
  let waiting = NOTHING;
  let done = 0;
  return {
    push: (chunk) => {
      const bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      const whole = bytes.subarray(0, wholeUtf8(bytes));
      if (!isUtf8(whole)) {
        const at = firstInvalid(whole);
        const lead = whole[at] ?? 0;
        // Both bytes of a UTF-16 mark are in no UTF-8 text.
        const hint = done + at === 0 && lead >= 0xfe ? UTF16_HINT : "";
        return {
          text: whole.toString("utf8", 0, at),
          fault: { offset: BigInt(done + at), what: `a byte is not UTF-8${hint}` },
        };
      }
      waiting = Buffer.from(bytes.subarray(whole.length));
      done += whole.length;
      return { text: isAscii(whole) ? whole.toString("latin1") : whole.toString("utf8"), fault: null };
    },
    end: () => cutOff(waiting, done, "utf-8"),
  };
}

const cutOff = (waiting: Buffer, done: number, encoding: string): Decoded => ({
  text: "",
  fault:
    waiting.length === 0
      ? null
      : { offset: BigInt(done), what: `the file ends within a character of ${encoding}` },
});

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

function utf16Decoder(encoding: "utf-16le" | "utf-16be"): Decoder {
  let waiting = NOTHING;
  let done = 0;
  return {
    push: (chunk) => {
      const bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      let length = bytes.length - (bytes.length % 2);
      const high = length === 0 ? 0 : (bytes[encoding === "utf-16le" ? length - 1 : length - 2] ?? 0);
      if (high >= 0xd8 && high < 0xdc) length -= 2;
      const whole = Buffer.from(bytes.subarray(0, length));
      const text = (encoding === "utf-16le" ? whole : whole.swap16()).toString("utf16le");
      if (!text.isWellFormed()) {
        const at = text.search(LONE_SURROGATE);
        return {
          text: text.slice(0, at),
          fault: { offset: BigInt(done + at * 2), what: `half of a surrogate pair is not ${encoding}` },
        };
      }
      waiting = Buffer.from(bytes.subarray(length));
      done += length;
      return { text, fault: null };
    },
    end: () => cutOff(waiting, done, encoding),
  };
}

function tableDecoder(encoding: Encoding, table: readonly number[]): Decoder {
  let done = 0;
  return {
    push: (chunk) => {
      if (table === identity || isAscii(chunk)) {
        done += chunk.length;
        return { text: chunk.toString("latin1"), fault: null };
      }
      const units = new Uint16Array(chunk.length);
      for (let n = 0; n < chunk.length; n += 1) {
        const byte = chunk[n] ?? 0;
        const unit = table[byte] ?? 0;
        if (unit === 0 && byte !== 0) {
          return {
            text: Buffer.from(units.buffer, 0, n * 2).toString("utf16le"),
            fault: {
              offset: BigInt(done + n),
              what: `the byte 0x${byte.toString(16)} is not defined in ${encoding}`,
            },
          };
        }
        units[n] = unit;
      }
      done += chunk.length;
      return { text: Buffer.from(units.buffer).toString("utf16le"), fault: null };
    },
    end: () => ({ text: "", fault: null }),
  };
}
