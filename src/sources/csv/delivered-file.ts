// A delivered file as bytes: identified once in full, then read in constant memory while it is hashed again.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { WapError } from "../../domain/errors.ts";
import { LandingFault } from "../../domain/landing.ts";

const CHUNK = 256 * 1024;
const LFS = "version https://git-lfs.github.com/spec/";

/** First bytes of files that are no text; gzip is read. */
const OTHER_FORMATS: readonly (readonly [string, string])[] = [
  ["PK\x03\x04", "a zip archive (an .xlsx workbook is one)"],
  ["\xd0\xcf\x11\xe0", "a workbook of the old .xls kind"],
  ["(\xb5/\xfd", "zstd data"],
  ["\xfd7zXZ\x00", "xz data"],
  ["PAR1", "a Parquet file"],
  ["%PDF-", "a PDF document"],
];

/** The delivered bytes cannot be decompressed to their end; whoever reads them knows the line. */
export class DamagedDelivery extends Error {
  override readonly name = "DamagedDelivery";
}

/** The file's real path inside the repository. @throws WapError source_unreadable for one outside it or none at all. */
export async function locate(root: string, path: string): Promise<string> {
  try {
    const [base, file] = await Promise.all([realpath(root), realpath(resolve(root, path))]);
    const inside = relative(base, file);
    if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      throw new WapError("source_unreadable", `${path} lies outside the repository`);
    if (!(await stat(file)).isFile()) throw new WapError("source_unreadable", `${path} is not a file`);
    return file;
  } catch (error) {
    if (error instanceof WapError) throw error;
    throw new WapError("source_unreadable", `${path} cannot be read`, { cause: error });
  }
}

/** Size and sha256 of the delivered bytes. */
export async function identifyFile(root: string, path: string): Promise<{ bytes: bigint; sha256: string }> {
  const file = await locate(root, path);
  const hash = createHash("sha256");
  let bytes = 0n;
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK })) {
      const piece: Buffer = chunk;
      hash.update(piece);
      bytes += BigInt(piece.length);
    }
  } catch (error) {
    throw new WapError("source_unreadable", `${path} cannot be read`, { cause: error });
  }
  return { bytes, sha256: hash.digest("hex") };
}

export interface PlainBytes {
  /**
   * Plain bytes, decompressed where the delivery is gzip (by its first two bytes; a name that ends in `.gz` must keep what it says).
   * @throws DamagedDelivery
   */
  readonly chunks: AsyncIterable<Buffer>;
  /** So far: delivered bytes read, and plain bytes handed on. */
  readonly read: () => { readonly delivered: bigint; readonly plain: bigint };
  /** After the end: sha256 of the delivered bytes. */
  readonly sha256: () => string;
}

/** What the file's first bytes rule out; null where it may be text or gzip. */
function formatFault(path: string, head: Buffer): LandingFault | null {
  const start = head.toString("latin1");
  const fault = (what: string, next: string): LandingFault =>
    new LandingFault({ path, line: 1, record: null, column: null }, what, next);
  if (start.startsWith(LFS)) {
    return fault(
      "this is a Git LFS pointer, not the delivered file",
      "Fetch the file with `git lfs pull` (actions/checkout: `lfs: true`).",
    );
  }
  const other = OTHER_FORMATS.find(([magic]) => start.startsWith(magic));
  if (other !== undefined)
    return fault(`this is ${other[1]}, not delimited text`, "Deliver it as CSV, plain or gzip.");
  return /\.gz$/i.test(path) && !isGzip(head)
    ? fault(
        "the name says gzip, the bytes are something else",
        "Compress the file with gzip, or take `.gz` off its name.",
      )
    : null;
}

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

async function firstBytes(file: string, path: string): Promise<Buffer> {
  try {
    const handle = await open(file, "r");
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(LFS.length), 0, LFS.length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new WapError("source_unreadable", `${path} cannot be read`, { cause: error });
  }
}

/** Opens the file for landing. @throws LandingFault for what is neither text nor gzip, WapError source_unreadable */
export async function openPlain(root: string, path: string): Promise<PlainBytes> {
  const file = await locate(root, path);
  const head = await firstBytes(file, path);
  const fault = formatFault(path, head);
  if (fault !== null) throw fault;
  const gzip = isGzip(head);
  const hash = createHash("sha256");
  let delivered = 0n;
  let plain = 0n;
  let digest: string | null = null;

  async function* deliveredBytes(): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK })) {
      const piece: Buffer = chunk;
      hash.update(piece);
      delivered += BigInt(piece.length);
      yield piece;
    }
    digest = hash.digest("hex");
  }
  async function* plainBytes(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of gzip ? gunzipped(deliveredBytes()) : deliveredBytes()) {
        const piece: Buffer = chunk;
        plain += BigInt(piece.length);
        yield piece;
      }
    } catch (error) {
      if (error instanceof Error && "code" in error && /^Z_/.test(String(error.code)))
        throw new DamagedDelivery(`the gzip data is damaged or cut off (${error.message})`, { cause: error });
      throw new WapError("source_unreadable", `${path} could not be read to its end`, { cause: error });
    }
    // The decompressor stops at the end of its data without a word about what follows.
    if (digest === null) throw new DamagedDelivery("other bytes follow the end of the gzip data");
  }
  return {
    chunks: plainBytes(),
    read: () => ({ delivered, plain }),
    sha256: () => {
      if (digest === null) throw new WapError("internal", `${path} was not read to its end`);
      return digest;
    },
  };
}

/** Errors of either side end both: `pipe` alone would wait for ever after a file that cannot be read on. */
function gunzipped(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK });
  // The reader of `gunzip` gets the error.
  return pipeline(Readable.from(bytes), gunzip, () => undefined);
}
