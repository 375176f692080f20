// Bytes to text in the declared encoding; a byte that the encoding does not define is an error, never replaced.
import { isUtf8 } from "node:buffer";
import type { Encoding } from "../../domain/contract/source.ts";

/** What a chunk could not be decoded for; `offset` counts bytes of the whole plain text from 0. */
export interface DecodeFault {
  readonly offset: bigint;
  readonly what: string;
}

export interface Decoder {
  /** Text of a chunk, with what an earlier chunk left over; a fault where a byte is not of the encoding. */
  readonly push: (chunk: Buffer) => string | DecodeFault;
  /** What is left at the end. */
  readonly end: () => string | DecodeFault;
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

const UTF16_HINT = "; it looks like UTF-16: declare `encoding: utf-16le` (or utf-16be)";

/** A decoder for the encoding, or null for one that this version does not read. */
export function decoderFor(encoding: Encoding): Decoder | null {
  if (encoding === "utf-8") return utf8Decoder();
  if (encoding === "utf-16le" || encoding === "utf-16be") return utf16Decoder(encoding);
  const table = TABLES[encoding];
  return table === undefined ? null : tableDecoder(encoding, table);
}

function utf8Decoder(): Decoder {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let done = 0n;
  let first = true;
  const step = (chunk: Buffer, stream: boolean): string | DecodeFault => {
    const start = first ? chunk.subarray(0, 2) : Buffer.alloc(0);
    first = false;
    const utf16 = start.equals(Buffer.from([0xff, 0xfe])) || start.equals(Buffer.from([0xfe, 0xff]));
    try {
      const text = decoder.decode(chunk, { stream });
      done += BigInt(chunk.length);
      return text;
    } catch {
      return {
        offset: done + BigInt(firstInvalid(chunk)),
        what: `a byte is not UTF-8${utf16 ? UTF16_HINT : ""}`,
      };
    }
  };
  return { push: (chunk) => step(chunk, true), end: () => step(Buffer.alloc(0), false) };
}

/** Where the longest valid beginning of a chunk ends, about: by halving. */
function firstInvalid(chunk: Buffer): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (
      isUtf8(chunk.subarray(0, middle)) ||
      isUtf8(chunk.subarray(0, Math.max(0, middle - 1))) ||
      isUtf8(chunk.subarray(0, Math.max(0, middle - 2))) ||
      isUtf8(chunk.subarray(0, Math.max(0, middle - 3)))
    ) {
      low = middle;
    } else high = middle - 1;
  }
  while (low > 0 && !isUtf8(chunk.subarray(0, low))) low -= 1;
  return low;
}

function utf16Decoder(encoding: "utf-16le" | "utf-16be"): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  let done = 0n;
  const step = (chunk: Buffer, stream: boolean): string | DecodeFault => {
    try {
      const text = decoder.decode(chunk, { stream });
      done += BigInt(chunk.length);
      return text;
    } catch {
      return { offset: done, what: `the bytes that follow are not ${encoding}` };
    }
  };
  return { push: (chunk) => step(chunk, true), end: () => step(Buffer.alloc(0), false) };
}

function tableDecoder(encoding: Encoding, table: readonly number[]): Decoder {
  let done = 0n;
  return {
    push: (chunk) => {
      const units = new Uint16Array(chunk.length);
      for (let n = 0; n < chunk.length; n += 1) {
        const byte = chunk[n] ?? 0;
        const unit = table[byte] ?? 0;
        if (unit === 0 && byte !== 0)
          return {
            offset: done + BigInt(n),
            what: `the byte 0x${byte.toString(16)} is not defined in ${encoding}`,
          };
        units[n] = unit;
      }
      done += BigInt(chunk.length);
      return Buffer.from(units.buffer).toString("utf16le");
    },
    end: () => "",
  };
}
