// Reads bytes in chunks of any size as the landing does, for tests of what comes out.
import { createHash } from "node:crypto";
import { sourceSchema } from "../../../src/domain/contract/source.ts";
import { LandingFault } from "../../../src/domain/landing.ts";
import type { RecordReader } from "../../../src/ports.ts";
import { recordReader } from "../../../src/sources/csv/csv-source.ts";
import type { PlainBytes } from "../../../src/sources/csv/delivered-file.ts";

export type Settings = Record<string, unknown>;
export const sourceOf = (columns: readonly string[], settings: Settings = {}) =>
  sourceSchema.parse({ kind: "csv", path: "f.csv", columns, ...settings });

export const sha = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Bytes in chunks of a size, as an opened file gives them. */
export function inChunks(bytes: Buffer, size: number): PlainBytes {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return {
    chunks: chunks(),
    read: () => ({ delivered: BigInt(bytes.length), plain: BigInt(bytes.length) }),
    sha256: () => sha(bytes),
  };
}

export interface Landed {
  readonly records: readonly (readonly (string | null)[])[];
  readonly rows: readonly number[];
  readonly rejects: readonly { readonly line: number; readonly reason: string }[];
  readonly parsed: bigint;
}

export async function drain(reader: RecordReader): Promise<Landed> {
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

export const read = async (
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
export async function refusal(
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

/** All that can be seen of a reading: what was given before the end, and how it ended. */
export async function seen(
  text: string | Buffer,
  columns: readonly string[],
  settings: Settings = {},
  size = 65_536,
): Promise<unknown> {
  const bytes = Buffer.from(text);
  const given: unknown[] = [];
  try {
    const reader = await recordReader(
      { root: "/", path: "f.csv", source: sourceOf(columns, settings) },
      inChunks(bytes, size),
      sha(bytes),
    );
    given.push(reader.header);
    for await (const batch of reader.batches()) {
      for (const { row, cells } of batch.records) given.push([row, ...cells]);
      given.push(...batch.rejects);
    }
    const { parsed, rejected, skipped } = reader.totals();
    given.push({ parsed, rejected, skipped });
  } catch (error) {
    if (!(error instanceof LandingFault)) throw error;
    given.push(error.message);
  }
  // Records and rejects of a batch come apart: their numbers put them in order. What came before a fault depends on the chunks.
  const fault = given.find((one) => typeof one === "string");
  return fault ?? given;
}
