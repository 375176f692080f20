// What a comment asks for: exactly one command, alone on its first non-blank line, outside quotes and fences (github R12).
import { parseRunId, type RunId } from "./run.ts";

export type CommentCommand =
  | { readonly kind: "publish"; readonly runId: RunId }
  | { readonly kind: "rollback"; readonly runId: RunId }
  | { readonly kind: "audit"; readonly contract: string | null }
  | { readonly kind: "status"; readonly runId: RunId | null }
  | { readonly kind: "help" }
  /** `/publish` without an id publishes nothing and answers with the runs that could be. */
  | { readonly kind: "publish_without_id" }
  /** Looks like a command and is not exactly one. */
  | { readonly kind: "refused"; readonly sentence: string }
  /** An ordinary comment. */
  | { readonly kind: "none" };

const VERBS = /^\/(?:publish|rollback|audit|status|wap)(?![\w-])/i;

/** Parses a comment's body. Pure; what it cannot read exactly never acts. */
export function parseCommand(body: string): CommentCommand {
  const lines = visibleLines(body);
  const commands = lines.filter((line) => VERBS.test(line.trim()));
  const first = lines.find((line) => line.trim() !== "");
  if (first === undefined || commands.length === 0) return { kind: "none" };
  const line = trimmed(first);
  if (!VERBS.test(first.trim())) return { kind: "none" };
  if (commands.length > 1) return { kind: "refused", sentence: "A comment holds exactly one command; this one holds several, so none was carried out." };
  if (/[^\x20-\x7e]/.test(line)) return { kind: "refused", sentence: "The command holds a character that is not plain ASCII, perhaps an invisible one; type it again." };
  return exact(line.split(/ +/));
}

function exact(words: readonly string[]): CommentCommand {
  const [verb, argument, ...rest] = words;
  const usage = (sentence: string): CommentCommand => ({ kind: "refused", sentence });
  if (rest.length > 0) return usage("A command stands alone on its line: write it without anything behind it.");
  if (verb === "/wap") return argument === "help" ? { kind: "help" } : usage("Write `/wap help`.");
  if (verb === "/audit") {
    if (argument === undefined) return { kind: "audit", contract: null };
    return /^[a-z0-9][a-z0-9._-]{0,99}$/.test(argument) ? { kind: "audit", contract: argument } : usage("Write `/audit` or `/audit <contract id>`.");
  }
  const runId = argument === undefined ? null : parseRunId(argument);
  if (verb === "/status") return argument === undefined || runId !== null ? { kind: "status", runId } : usage("Write `/status` or `/status <run-id>` with a complete run id.");
  if (verb === "/publish") {
    if (argument === undefined) return { kind: "publish_without_id" };
    return runId === null ? usage("A run id is a complete UUID: copy `/publish <run-id>` from the evidence.") : { kind: "publish", runId };
  }
  if (verb === "/rollback") return runId === null ? usage("Write `/rollback <run-id>` with the complete id of the run to go back from.") : { kind: "rollback", runId };
  return usage("Commands are written in lower case; `/wap help` lists them.");
}

/** Blank at both ends: spaces and tabs only. A no-break or zero-width space is a character that was typed. */
const trimmed = (line: string): string => line.replace(/^[ \t]+|[ \t]+$/g, "");

/** The lines of a body that are neither quoted, nor code, nor inside an HTML comment. */
function visibleLines(body: string): string[] {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of body.replace(/<!--[\s\S]*?(?:-->|$)/g, "\u0000").split(/\r\n|\n|\r/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = null;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      // What is quoted or fenced still stands first: a command after it is not on the first line.
      lines.push("```");
      continue;
    }
    if (/^ {0,3}>/.test(line)) lines.push(">");
    else if (/^(?: {4}|\t)/.test(line) && line.trim() !== "") lines.push("code");
    else lines.push(line);
  }
  return lines;
}
