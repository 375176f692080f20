// The Markdown that our comments are made of, as HTML, for a page without GitHub: everything outside this subset is text.
import { inHtml } from "./escape.ts";

/**
 * Headings, paragraphs, tables with alignment, lists, fenced code with its language, quotes, alerts, `<details>`, bold, emphasis, code,
 * links, `<sub>`, and the entities and elements that our own escaping writes. No other HTML, no address but http(s), no image.
 */
export function markdownToHtml(markdown: string): string {
  return blocks(markdown.replaceAll("\r\n", "\n").split("\n"));
}

type Block = (
  lines: readonly string[],
  at: number,
) => { readonly html: string; readonly next: number } | null;

function blocks(lines: readonly string[]): string {
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const found = BLOCKS.map((block) => block(lines, at)).find((one) => one !== null);
    if (found === undefined || found === null) {
      at += 1;
      continue;
    }
    if (found.html !== "") out.push(found.html);
    at = found.next;
  }
  return out.join("\n");
}

const lineAt = (lines: readonly string[], at: number): string => lines[at] ?? "";

/** The lines from `at` that pass a test, and where they end. */
function run(
  lines: readonly string[],
  at: number,
  test: RegExp,
): { readonly taken: readonly string[]; readonly next: number } {
  let next = at;
  while (next < lines.length && test.test(lineAt(lines, next))) next += 1;
  return { taken: lines.slice(at, next), next };
}

const fence: Block = (lines, at) => {
  const open = /^(`{3,})([\w+-]*)\s*$/.exec(lineAt(lines, at));
  if (open === null) return null;
  const marks = open[1] ?? "```";
  let next = at + 1;
  while (next < lines.length && lineAt(lines, next).trimEnd() !== marks) next += 1;
  const language = open[2] === "" ? "" : ` class="language-${inHtml(open[2] ?? "")}"`;
  return {
    html: `<pre><code${language}>${inHtml(lines.slice(at + 1, next).join("\n"))}</code></pre>`,
    next: next + 1,
  };
};

/** Ends with its own closing line, however many others lie inside; one that is never closed is text. */
const details: Block = (lines, at) => {
  const open = /^<details( open)?><summary>(.*)<\/summary>$/.exec(lineAt(lines, at));
  if (open === null) return null;
  let depth = 1;
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    if (/^<details( open)?><summary>.*<\/summary>$/.test(lineAt(lines, next))) depth += 1;
    if (lineAt(lines, next) === "</details>") depth -= 1;
    if (depth === 0) break;
  }
  if (depth > 0) return null;
  return {
    html: `<details${open[1] ?? ""}><summary>${inlineHtml(open[2] ?? "")}</summary>\n${blocks(lines.slice(at + 1, next))}\n</details>`,
    next: next + 1,
  };
};

const ALERTS: Readonly<Record<string, string>> = {
  TIP: "💡 Tip",
  NOTE: "ℹ️ Note",
  CAUTION: "🛑 Caution",
  WARNING: "⚠️ Warning",
};

const quote: Block = (lines, at) => {
  const { taken, next } = run(lines, at, /^>/);
  if (taken.length === 0) return null;
  const inside = taken.map((line) => line.replace(/^> ?/, ""));
  const kind = /^\[!(TIP|NOTE|CAUTION|WARNING)\]$/.exec(inside[0] ?? "")?.[1];
  return kind === undefined
    ? { html: `<blockquote>${blocks(inside)}</blockquote>`, next }
    : {
        html: `<blockquote class="alert ${kind}"><p class="alert-title">${ALERTS[kind] ?? kind}</p>${blocks(inside.slice(1))}</blockquote>`,
        next,
      };
};

/** Cells end at a bar that no backslash stands before. */
const cellsOf = (row: string): readonly string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

const RULE = /^\|(?:\s*:?-+:?\s*\|)+\s*$/;

const table: Block = (lines, at) => {
  if (!lineAt(lines, at).startsWith("|") || !RULE.test(lineAt(lines, at + 1))) return null;
  const { taken, next } = run(lines, at, /^\|/);
  const [head = "", rule = "", ...rows] = taken;
  const right = cellsOf(rule).map((cell) => cell.endsWith(":"));
  const row = (line: string, tag: "th" | "td"): string =>
    `<tr>${cellsOf(line)
      .map((cell, n) => `<${tag}${right[n] === true ? ' class="n"' : ""}>${inlineHtml(cell)}</${tag}>`)
      .join("")}</tr>`;
  return {
    html: `<div class="scroll"><table><thead>${row(head, "th")}</thead><tbody>${rows.map((line) => row(line, "td")).join("")}</tbody></table></div>`,
    next,
  };
};

const listOf =
  (tag: "ul" | "ol", mark: RegExp): Block =>
  (lines, at) => {
    const { taken, next } = run(lines, at, mark);
    return taken.length === 0
      ? null
      : {
          html: `<${tag}>${taken.map((line) => `<li>${inlineHtml(line.replace(mark, ""))}</li>`).join("")}</${tag}>`,
          next,
        };
  };

const heading: Block = (lines, at) => {
  const found = /^(#{1,6}) (.*)$/.exec(lineAt(lines, at));
  // A comment's headings lie below the page's own: never above the third level.
  const level = Math.max(3, found?.[1]?.length ?? 3);
  return found === null
    ? null
    : { html: `<h${level}>${inlineHtml(found[2] ?? "")}</h${level}>`, next: at + 1 };
};

/** An HTML comment that stands alone, our marker for one, is not shown. */
const comment: Block = (lines, at) =>
  /^<!--.*-->$/.test(lineAt(lines, at)) ? { html: "", next: at + 1 } : null;

const blank: Block = (lines, at) => (lineAt(lines, at).trim() === "" ? { html: "", next: at + 1 } : null);

/** Everything else, up to a blank line or a line that begins another block; GitHub keeps the line ends of a comment. */
const paragraph: Block = (lines, at) => {
  let next = at + 1;
  while (next < lines.length && OTHERS.every((block) => block(lines, next) === null)) next += 1;
  return { html: `<p>${lines.slice(at, next).map(inlineHtml).join("<br>\n")}</p>`, next };
};

const OTHERS: readonly Block[] = [
  blank,
  comment,
  fence,
  details,
  quote,
  table,
  listOf("ul", /^[-*] /),
  listOf("ol", /^\d{1,9}\. /),
  heading,
];
const BLOCKS: readonly Block[] = [...OTHERS, paragraph];

/** A code span, a link, bold, emphasis, an entity, an element that we write: in this order, from the left. */
const TOKEN =
  /(?<ticks>`+)(?<code>(?:(?!`).|(?!\k<ticks>(?!`))`)+?)\k<ticks>(?!`)|\[(?<text>(?:[^[\]`]|`[^`]*`)+)\]\((?<address>https?:\/\/[^\s()<>"]+)\)|\*\*(?<bold>(?:[^*`]|`[^`]*`)+)\*\*|(?<![\w])_(?<emphasis>[^_`]+)_(?!\w)|(?<entity>&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot);)|(?<element><\/?(?:code|sub|span)>)/u;

function inlineHtml(markdown: string): string {
  let out = "";
  let rest = markdown;
  for (let match = TOKEN.exec(rest); match !== null; match = TOKEN.exec(rest)) {
    out += inHtml(rest.slice(0, match.index)) + tokenHtml(match);
    rest = rest.slice(match.index + match[0].length);
  }
  return out + inHtml(rest);
}

function tokenHtml(match: RegExpExecArray): string {
  const { code, text, address, bold, emphasis, entity, element } = match.groups ?? {};
  if (code !== undefined)
    return `<code>${inHtml(/^ .* $/.test(code) && code.trim() !== "" ? code.slice(1, -1) : code)}</code>`;
  if (text !== undefined && address !== undefined)
    return `<a href="${inHtml(address)}">${inlineHtml(text)}</a>`;
  if (bold !== undefined) return `<strong>${inlineHtml(bold)}</strong>`;
  if (emphasis !== undefined) return `<em>${inlineHtml(emphasis)}</em>`;
  return element ?? entity ?? inHtml(match[0]);
}
