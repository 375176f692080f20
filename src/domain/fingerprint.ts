// Canonical JSON and sha256: the byte rules behind every hash that is compared or approved.
import { createHash } from "node:crypto";

declare const kind: unique symbol;
/** Lower-case hexadecimal sha256, branded by what it is the hash of. */
export type Fingerprint<Of extends string> = string & { readonly [kind]: Of };

export type ContractHash = Fingerprint<"contract">;
export type TransformHash = Fingerprint<"transform">;
export type SourceFingerprint = Fingerprint<"source">;
export type EvidenceDigest = Fingerprint<"evidence">;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Canonical text of a JSON value: no white space, keys sorted by UTF-16 code units, strings as JSON.stringify writes
 * them, only safe integers as numbers (everything else travels as a string). See docs/canonical-bytes.md.
 * @throws RangeError for a number that is not a safe integer.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${value}`);
    return Object.is(value, -0) ? "0" : String(value);
  }
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const record = value as { readonly [key: string]: Json };
  const members = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key] as Json)}`);
  return `{${members.join(",")}}`;
}

/** sha256 of text (as UTF-8) or bytes, lower-case hexadecimal. */
export const sha256 = <Of extends string>(input: string | Uint8Array): Fingerprint<Of> =>
  createHash("sha256").update(input).digest("hex") as Fingerprint<Of>;

/** The id that git gives a file of these bytes (sha1 of `blob <length>\0<bytes>`), as GitHub's contents API reports it. */
export const gitBlobId = (bytes: Uint8Array): string =>
  createHash("sha1").update(`blob ${bytes.byteLength}\0`).update(bytes).digest("hex");
