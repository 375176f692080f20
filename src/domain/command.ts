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

const VERB = /^\/(?:publish|rollback|audit|status|wap)(?![\w-])/i;
/** Whatever begins like a publish is answered once, so that nobody waits for it. */
const MISTYPED_PUBLISH = /^\/publish/i;

/** Parses a comment's body. Pure; what it cannot read exactly never acts. */
export function parseCommand(body: string): CommentCommand {
  const first = visibleLines(withoutHtmlComments(body)).find(({ text }) => text.trim() !== "");
  if (first === undefined || first.indented) return { kind: "none" };
  if (!VERB.test(seen(first.text)))
    return MISTYPED_PUBLISH.test(seen(first.text))
      ? usage("Nothing is known by that name: write `/publish <run-id>`.")
      : { kind: "none" };
  if (Math.max(commandsIn(body), commandsIn(withoutHtmlComments(body))) > 1)
    return usage("A comment holds exactly one command; this one holds several, so none was carried out.");
  const line = trimmed(first.text);
  if (/[^\x20-\x7e]/.test(line))
    return usage(
      "The command holds a character that is not plain ASCII, perhaps an invisible one; type it again.",
    );
  return exact(line.split(/ +/));
}

const usage = (sentence: string): CommentCommand => ({ kind: "refused", sentence });

function exact(words: readonly string[]): CommentCommand {
  const [verb, argument, ...rest] = words;
  if (rest.length > 0)
    return usage("A command stands alone on its line: write it without anything behind it.");
  if (verb === "/wap") return argument === "help" ? { kind: "help" } : usage("Write `/wap help`.");
  if (verb === "/audit") {
    if (argument === undefined) return { kind: "audit", contract: null };
    return /^[a-z0-9][a-z0-9._-]{0,99}$/.test(argument)
      ? { kind: "audit", contract: argument }
      : usage("Write `/audit` or `/audit <contract id>`.");
  }
  const runId = argument === undefined ? null : parseRunId(argument);
  if (verb === "/status")
    return argument === undefined || runId !== null
      ? { kind: "status", runId }
      : usage("Write `/status` or `/status <run-id>` with a complete run id.");
  if (verb === "/publish") {
    if (argument === undefined) return { kind: "publish_without_id" };
    return runId === null
      ? usage("A run id is a complete UUID: copy `/publish <run-id>` from the evidence.")
      : { kind: "publish", runId };
  }
  if (verb === "/rollback")
    return runId === null
      ? usage("Write `/rollback <run-id>` with the complete id of the run to go back from.")
      : { kind: "rollback", runId };
  return usage("Commands are written in lower case; `/wap help` lists them.");
}

/** Blank at both ends: spaces and tabs only. A no-break or zero-width space is a character that was typed. */
const trimmed = (line: string): string => line.replace(/^[ \t]+|[ \t]+$/g, "");

/** A line as a person sees it: no blanks of any kind at its ends, nothing invisible. It decides what looks like a command, no more. */
const seen = (line: string): string => line.replace(/[\p{Cf}\p{Cc}]/gu, "").trim();

const commandsIn = (body: string): number =>
  visibleLines(body).filter(({ text }) => VERB.test(seen(text))).length;

/** What stood in a comment's place is not blank: a command after it does not stand first. */
const withoutHtmlComments = (body: string): string => body.replace(/<!--[\s\S]*?(?:-->|$)/g, "(hidden)");

interface Line {
  readonly text: string;
  /** Four spaces or a tab: code where it begins a block, plain text where it goes on with one. */
  readonly indented: boolean;
}

/** The lines of a body; what is quoted or fenced keeps its place as something that is not a command. */
function visibleLines(body: string): Line[] {
  const lines: Line[] = [];
  const other = { text: "(other)", indented: false };
  let fence: string | null = null;
  for (const line of body.split(/\r\n|[\n\r\u2028\u2029]/)) {
    // A fence of backticks has none behind it; else it is code inside a line.
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = null;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      lines.push(other);
    } else if (/^ {0,3}>/.test(line)) lines.push(other);
    else lines.push({ text: line, indented: /^(?: {4}| {0,3}\t)/.test(line) });
  }
  return lines;
}
