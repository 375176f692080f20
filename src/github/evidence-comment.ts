// Our one comment on a pull request: found by its marker and its author, edited in place, the oldest wins (github R25, R27, R29).
import type { Comment, GitHub } from "./port.ts";

/** GitHub's limit for a body; kept in characters and in bytes, since it is told in the one and seen in the other. */
export const BODY_LIMIT = 65_536;

/** Ours: it ends with the marker, and whoever the token acts for wrote it. Anybody can plant a marker. */
function isOurs(comment: Comment, marker: string, self: string | null): boolean {
  if (!comment.body.trimEnd().endsWith(marker)) return false;
  return self === null ? !comment.author.isUser : comment.author.id === self;
}

/**
 * Writes the comment, or edits it where the text differs. A comment that somebody deleted is written again. Two jobs that write at the
 * same moment, or a write that was repeated, leave one comment: the oldest stays, and of the younger ones those of its author go.
 * @throws WapError github_unavailable
 */
export async function upsertComment(
  github: GitHub,
  issue: number,
  marker: string,
  body: string,
): Promise<void> {
  const text = withinLimit(body, marker);
  const self = await github.self();
  const ours = async (): Promise<readonly Comment[]> =>
    (await github.comments(issue))
      .filter((comment) => isOurs(comment, marker, self))
      .toSorted((a, b) => a.id - b.id);
  const [before] = await ours();
  if (before !== undefined) {
    if (before.body === text || (await github.updateComment(before.id, text))) return;
  }
  await github.createComment(issue, text);
  const [oldest, ...younger] = await ours();
  if (oldest === undefined || younger.length === 0) return;
  for (const comment of younger)
    if (comment.author.id === oldest.author.id) await github.deleteComment(comment.id);
  if (oldest.body !== text) await github.updateComment(oldest.id, text);
}

/** The last guard: who made the text cuts it with more sense. The marker, by which it is found again, always stays. */
function withinLimit(body: string, marker: string): string {
  if (Buffer.byteLength(body, "utf8") <= BODY_LIMIT) return body;
  const end = `\n\n_Cut here for GitHub's size limit._\n\n${marker}`;
  const bytes = Buffer.from(body, "utf8").subarray(0, BODY_LIMIT - Buffer.byteLength(end, "utf8"));
  // A character that was cut in two decodes to U+FFFD at the end.
  return `${bytes.toString("utf8").replace(/\uFFFD{1,3}$/, "")}${end}`;
}
