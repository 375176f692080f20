// A delivered file as bytes: identified once in full, then read in constant memory while it is hashed again.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { WapError } from "../../domain/errors.ts";
import { LandingFault } from "../../domain/landing.ts";

const CHUNK = 256 * 1024;
const LFS = "version https://git-lfs.github.com/spec/";

/** The file's real path inside the repository. @throws WapError source_unreadable for one outside it or none at all. */
export async function locate(root: string, path: string): Promise<string> {
  try {
    const [base, file] = await Promise.all([realpath(root), realpath(resolve(root, path))]);
    if (!file.startsWith(base + sep))
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
  /** Plain bytes, decompressed where the delivery is gzip (by its first two bytes, whatever its name). */
  readonly chunks: AsyncIterable<Buffer>;
  /** So far: delivered bytes read, and plain bytes handed on. */
  readonly read: () => { readonly delivered: bigint; readonly plain: bigint };
  /** After the end: sha256 of the delivered bytes. */
  readonly sha256: () => string;
}

/** Opens the file for landing. @throws LandingFault for a Git LFS pointer, WapError source_unreadable */
export async function openPlain(root: string, path: string): Promise<PlainBytes> {
  const file = await locate(root, path);
  const head = Buffer.alloc(LFS.length);
  const handle = await open(file, "r");
  try {
    await handle.read(head, 0, head.length, 0);
  } finally {
    await handle.close();
  }
  if (head.toString("latin1") === LFS) {
    throw new LandingFault(
      { path, line: 1, record: null, column: null },
      "this is a Git LFS pointer, not the delivered file",
      "Fetch the file with `git lfs pull` (actions/checkout: `lfs: true`).",
    );
  }
  const gzip = head[0] === 0x1f && head[1] === 0x8b;
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
    const stream = gzip
      ? Readable.from(deliveredBytes()).pipe(createGunzip({ chunkSize: CHUNK }))
      : deliveredBytes();
    try {
      for await (const chunk of stream) {
        const piece: Buffer = chunk;
        plain += BigInt(piece.length);
        yield piece;
      }
    } catch (error) {
      if (gzip && error instanceof Error && "code" in error && /^Z_/.test(String(error.code))) {
        throw new LandingFault(
          { path, line: 1, record: null, column: null },
          `the gzip data is damaged or cut off (${error.message})`,
        );
      }
      if (error instanceof WapError) throw error;
      throw new WapError("source_unreadable", `${path} could not be read to its end`, { cause: error });
    }
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
