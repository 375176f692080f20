// Our one comment on a pull request: found by its marker and its author, edited in place, the oldest wins (github R27, R29).
import type { Comment, GitHub } from "./port.ts";

/** Ours: it ends with the marker, and whoever the token acts for wrote it. Anybody can plant a marker. */
function isOurs(comment: Comment, marker: string, self: string | null): boolean {
  if (!comment.body.trimEnd().endsWith(marker)) return false;
  return self === null ? !comment.author.isUser : comment.author.id === self;
}

/** Writes the comment, or edits it where the text differs. A comment that somebody deleted is written again. */
export async function upsertComment(github: GitHub, issue: number, marker: string, body: string): Promise<void> {
  const self = await github.self();
  const before = (await github.comments(issue)).filter((comment) => isOurs(comment, marker, self)).toSorted((a, b) => a.id - b.id)[0];
  if (before === undefined) await github.createComment(issue, body);
  else if (before.body !== body) await github.updateComment(before.id, body);
}
