// SQL names: allowlisted, exact case, always quoted, at most 63 bytes; and the run-scoped names made from them.
import { createHash } from "node:crypto";

/** PostgreSQL's NAMEDATALEN - 1 (PostgreSQL manual, 4.1.1). Counted in UTF-8 bytes. */
export const MAX_IDENTIFIER_BYTES = 63;

declare const quoted: unique symbol;
/** Text that is safe inside a statement: a quoted identifier or a list of them. Only this file makes it. */
export type SqlIdentifier = string & { readonly [quoted]: true };

export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

const bytes = (text: string): number => Buffer.byteLength(text, "utf8");

const isLoneSurrogate = (text: string): boolean => !text.isWellFormed();

/**
 * Says what is wrong with a name, or null. Allowed: 1 to 63 bytes of well-formed Unicode without control characters,
 * invisible formatting characters or double quotes.
 */
export function nameProblem(name: string): string | null {
  if (name.length === 0) return "is empty";
  if (bytes(name) > MAX_IDENTIFIER_BYTES)
    return `has ${bytes(name)} bytes in UTF-8, ${MAX_IDENTIFIER_BYTES} are allowed`;
  if (isLoneSurrogate(name)) return "is not well-formed Unicode";
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return "holds a control or invisible character";
  if (name.includes('"')) return "holds a double quote";
  if (name !== name.trim()) return "begins or ends with white space";
  return null;
}

/** Schemas that a target may never lie in: the server's and wap's own. */
export const RESERVED_SCHEMAS: readonly string[] = [
  "pg_catalog",
  "information_schema",
  "pg_toast",
  "wap_admin",
  "wap_raw",
  "wap_stage",
];

/** Quotes one name as PostgreSQL's quote_identifier would with every name quoted. */
export function quoteIdentifier(name: string): SqlIdentifier {
  const problem = nameProblem(name);
  if (problem !== null) throw new RangeError(`name ${JSON.stringify(name)} ${problem}`);
  return `"${name}"` as SqlIdentifier;
}

export const quoteQualified = (name: QualifiedName): SqlIdentifier =>
  `${quoteIdentifier(name.schema)}.${quoteIdentifier(name.name)}` as SqlIdentifier;

export const quoteList = (names: readonly string[]): SqlIdentifier =>
  names.map(quoteIdentifier).join(", ") as SqlIdentifier;

/** `schema.table` for people: quotes only where a part holds a dot or a space. Never put it into a statement. */
export const displayName = (name: QualifiedName): string =>
  [name.schema, name.name].map((part) => (/^[^\s."]+$/.test(part) ? part : `"${part}"`)).join(".");

/**
 * Parses `schema.table`, where a part that holds a dot or a space is written in double quotes.
 * @returns the name, or a sentence that says what is wrong.
 */
export function parseQualifiedName(text: string): QualifiedName | string {
  const match = /^(?:"([^"]+)"|([^".\s]+))\.(?:"([^"]+)"|([^".\s]+))$/u.exec(text);
  if (match === null)
    return `write it as schema.table (a part with a dot or a space in double quotes), not ${JSON.stringify(text)}`;
  const schema = match[1] ?? match[2] ?? "";
  const name = match[3] ?? match[4] ?? "";
  for (const part of [schema, name]) {
    const problem = nameProblem(part);
    if (problem !== null) return `the name ${JSON.stringify(part)} ${problem}`;
  }
  return { schema, name };
}

/** Cuts text to a number of UTF-8 bytes without splitting a character. */
function cutToBytes(text: string, max: number): string {
  let out = "";
  let used = 0;
  for (const char of text) {
    used += bytes(char);
    if (used > max) break;
    out += char;
  }
  return out;
}

/** First 12 hexadecimal digits of sha256 over the run id and the full name: what makes a run-scoped name its own. */
const shortHash = (runId: string, name: QualifiedName): string =>
  createHash("sha256").update(`${runId}\n${name.schema}\n${name.name}`).digest("hex").slice(0, 12);

const runScoped = (schema: string, base: QualifiedName, mark: string, runId: string): QualifiedName => {
  const tail = `__${mark}${shortHash(runId, base)}`;
  return { schema, name: cutToBytes(base.name, MAX_IDENTIFIER_BYTES - tail.length) + tail };
};

/** Names of everything that one run creates (specification 3 and 4). All inside 63 bytes, none shared by two runs. */
export interface RunNames {
  /** Raw snapshot of the delivered records, every cell as text. */
  readonly raw: QualifiedName;
  /** Records that could not be landed, with line and reason. */
  readonly rejects: QualifiedName;
  /** Records that the transform leaves out, with the declared reason. */
  readonly excluded: QualifiedName;
  /** The isolated relation that becomes the published version. */
  readonly stage: QualifiedName;
}

export const runNames = (target: QualifiedName, runId: string): RunNames => ({
  raw: runScoped("wap_raw", target, "wap_", runId),
  rejects: runScoped("wap_raw", target, "rej_", runId),
  excluded: runScoped("wap_raw", target, "exc_", runId),
  stage: runScoped("wap_stage", target, "wap_", runId),
});
