// GitHub's limits on what can be posted, and cutting that says what was left out (github R25, R26; safety E5).
import { firstOf } from "./markdown.ts";

/** Longest body of a comment, in characters and in bytes. */
export const COMMENT_LIMIT = 65_536;
/** Longest summary or text of a check run. */
export const CHECK_LIMIT = 65_535;
/** Longest job summary, in bytes. */
export const SUMMARY_LIMIT = 1_048_576;

const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");

/** In bytes and in characters: UTF-8 never has fewer bytes than UTF-16 has units. */
export const fits = (text: string, limit: number): boolean => bytesOf(text) <= limit;

/** A part of a text that may be left out, least important first. */
export interface Part {
  readonly text: string;
  /** What the cut is called: "12 audits that pass". Null for a part that always stays. */
  readonly sacrifice: string | null;
  /** Lower goes first; of equals the last. */
  readonly rank: number;
}

/** What goes first where a text is too long (design: ux 1.10). Verdict, run id, command, failed audits and hash never go. */
export const RANK = {
  samples: 0,
  passing: 1,
  columns: 2,
  ledger: 3,
  history: 4,
  plan: 5,
  approved: 6,
  failing: 7,
  contract: 8,
} as const;

export const always = (text: string): Part => ({ text, sacrifice: null, rank: Number.POSITIVE_INFINITY });

const SEPARATOR = "\n\n";

const cutNote = (gone: readonly string[]): string =>
  gone.length === 0
    ? ""
    : `**Left out here** for GitHub's size limit: ${firstOf(gone, 8)}. The whole is in the evidence files.`;

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== "").join(SEPARATOR);

/**
 * Joins parts in order, with blank lines between; where they do not fit, whole parts go, lowest rank first, and one line says which.
 * As a last resort parts that always stay go too, from the end, but never the first and never `tail`.
 */
export function joinWithin(parts: readonly Part[], tail: string, limit: number): string {
  const kept = new Set(parts.keys());
  const gone: string[] = [];
  let size = parts.reduce((sum, part) => sum + bytesOf(part.text) + SEPARATOR.length, bytesOf(tail));
  const order = [...parts.entries()].toSorted(([a, one], [b, other]) =>
    one.rank === other.rank ? b - a : one.rank - other.rank,
  );
  for (const [place, part] of order) {
    if (size + bytesOf(cutNote(gone)) + SEPARATOR.length <= limit || place === 0) continue;
    kept.delete(place);
    size -= bytesOf(part.text) + SEPARATOR.length;
    if (part.text !== "") gone.push(part.sacrifice ?? "what follows");
  }
  const [first = "", ...rest] = parts.map((part, place) => (kept.has(place) ? part.text : ""));
  const text = joined([first, ...rest, cutNote(gone), tail]);
  return fits(text, limit)
    ? text
    : joined([beginningOf(first, limit - bytesOf(tail) - 100), "_Cut here for GitHub's size limit._", tail]);
}

/** The longest beginning of a text that has at most so many bytes, at a whole character. */
function beginningOf(text: string, bytes: number): string {
  const cut = Buffer.from(text, "utf8").subarray(0, Math.max(0, bytes));
  return cut.toString("utf8").replace(/\uFFFD{1,3}$/, "");
}
