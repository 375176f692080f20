// GitHub's limits on what can be posted, and cutting that says what was left out (github R25, R26).

/** Longest body of a comment, in characters and in bytes. */
export const COMMENT_LIMIT = 65_536;
/** Longest summary or text of a check run. */
export const CHECK_LIMIT = 65_535;
/** Longest job summary, in bytes. */
export const SUMMARY_LIMIT = 1_048_576;

export const fits = (text: string, limit: number): boolean =>
  text.length <= limit && Buffer.byteLength(text, "utf8") <= limit;

/** A part of a text that may be left out, least important first. */
export interface Part {
  readonly text: string;
  /** What the cut is called: "12 audits that pass". Null for a part that always stays. */
  readonly sacrifice: string | null;
  /** Lower goes first. */
  readonly rank: number;
}

/**
 * Joins parts in order; where they do not fit, whole parts go, lowest rank first, and one line says which. A text of parts that always
 * stay is cut at its end as a last resort, before `tail`, which is never cut.
 */
export function joinWithin(parts: readonly Part[], tail: string, limit: number): string {
  const left = [...parts];
  const gone: string[] = [];
  const whole = (): string => {
    const note =
      gone.length === 0
        ? []
        : [
            `_Left out here for GitHub's size limit: ${gone.join(", ")}. The whole is in the evidence files._`,
          ];
    return [...left.map((part) => part.text), ...note, tail].filter((text) => text !== "").join("\n\n");
  };
  while (!fits(whole(), limit)) {
    const next = left.filter((part) => part.sacrifice !== null).toSorted((a, b) => a.rank - b.rank)[0];
    if (next === undefined) break;
    left.splice(left.indexOf(next), 1);
    gone.push(next.sacrifice ?? "");
  }
  const text = whole();
  if (fits(text, limit)) return text;
  const end = `\n\n_Cut here for GitHub's size limit. The whole is in the evidence files._\n\n${tail}`;
  let room = limit - Buffer.byteLength(end, "utf8");
  let head = left.map((part) => part.text).join("\n\n");
  head = head.slice(0, Math.max(0, room));
  while (Buffer.byteLength(head, "utf8") > room) head = head.slice(0, Math.floor(head.length * 0.9));
  room = head.lastIndexOf("\n");
  return `${head.slice(0, room === -1 ? head.length : room)}${end}`;
}
