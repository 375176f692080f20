// One function per output: whatever text comes in, it stays text, and what cannot be seen is shown (safety U2, github R31).

/**
 * Characters that nobody sees, that look like a space and are none, or that turn the direction of others: shown by their code point.
 * The narrow no-break space (U+202F) is let through, since our own numbers are grouped by it; so is the mark that gives a symbol its
 * colour (U+FE0F after ⚠).
 */
const INVISIBLE =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{DI}\u00a0\u1680\u2000-\u200a\u205f\u2800]/gu;

const codePoint = (char: string): string =>
  `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** One line without anything invisible; line ends become ⏎, so that a line stays a line. */
const visibleLine = (text: string): string => text.replace(/\r\n|[\r\n]/g, "⏎").replace(INVISIBLE, codePoint);

/**
 * For terminals and logs: no character acts. A runner of GitHub takes `::command::` at a line's beginning and `##[command]` anywhere in
 * it for commands (actions/runner, ActionCommand): both are broken up, the first after every space, since lines are wrapped there.
 */
export const forTerminal = (text: string): string =>
  visibleLine(text)
    .replace(/(?<=^|\s):(?=:)/g, "⟨U+003A⟩")
    .replaceAll("##[", "##⟨U+005B⟩");

/** Cuts at a whole character and says how much is missing (safety E5). `limit` counts characters, not bytes. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const chars = [...text];
  return chars.length <= limit
    ? text
    : `${chars.slice(0, limit).join("")} … (${chars.length - limit} more characters)`;
}

/** Invisible, and yet no mention, issue or link is made across it: GitHub looks for those in the finished text. */
const BREAK = "&#8203;";

const MARKDOWN: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "`": "&#96;",
  "|": "&#124;",
  "*": "&#42;",
  _: "&#95;",
  "~": "&#126;",
  "[": "&#91;",
  "]": "&#93;",
  "\\": "&#92;",
  // An entity alone is not enough for these two: GitHub turns it into the character first, and looks for mentions and issues then.
  "@": `&#64;${BREAK}`,
  "#": `&#35;${BREAK}`,
  // GitHub's documentation of mathematics asks for exactly this form.
  $: "<span>&#36;</span>",
};

/** Plain text in the middle of a line of Markdown: no mark-up, mention, issue, link, emoji, formula or HTML comes out of it. */
export const inline = (text: string): string =>
  visibleLine(text)
    // An underscore inside a word emphasises nothing.
    .replace(/[&<>`|*~[\]\\@#$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, (char) => MARKDOWN[char] ?? char)
    // `:emoji:`, `https://…`, `mailto:…`; a time of day is none of them.
    .replace(/:(?=[A-Za-z+/-]|&#95;|100:|1234:)/g, `&#58;${BREAK}`)
    .replace(/www(?=\.)/gi, `$&${BREAK}`)
    .replace(/\bGH(?=-\d)/gi, `$&${BREAK}`);

/** Markdown that may stand at a line's beginning: what would begin a list, a rule, a heading or a block of code does not. */
export const atLineStart = (markdown: string): string =>
  markdown
    .replace(/^(?: |[-+](?=[-\s]|$)|=(?==*\s*$))/, (char) => `&#${char.charCodeAt(0)};`)
    .replace(
      /^(\d{1,9})([.)])(?=\s|$)/,
      (_, number: string, mark: string) => `${number}&#${mark.charCodeAt(0)};`,
    );

/** Plain text as a Markdown paragraph, list item or table cell. It takes one line; line ends are shown. */
export const inMarkdown = (text: string): string => atLineStart(inline(text));

/**
 * Text in code ticks: handles and names; nobody is pinged by code. A tick or a pipe inside, which ticks cannot hold in a table, takes the
 * `<code>` element.
 */
export function inCode(text: string): string {
  const line = visibleLine(text);
  if (line === "") return "` `";
  if (/[`|]/.test(line)) return `<code>${inline(line)}</code>`;
  // A code span loses one space at each end, where both have one.
  return /^ .* $/.test(line) ? `\` ${line} \`` : `\`${line}\``;
}

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text inside an HTML element or a quoted attribute. Line ends and tabs stay. */
export const inHtml = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(INVISIBLE, (char) => (char === "\n" || char === "\t" ? char : codePoint(char)))
    .replace(/[&<>"']/g, (char) => HTML[char] ?? char);

const percent = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/** The message of a workflow command: what stands behind `::error …::`. */
export const inCommandData = (text: string): string => text.replace(/[%\r\n]/g, percent);

/** A property of a workflow command: `file=…`, `title=…`. */
export const inCommandProperty = (text: string): string => text.replace(/[%\r\n:,]/g, percent);

/** A spreadsheet cell of a CSV export: quoted, and never a formula. Plain numbers stay numbers. */
export function inCsv(text: string): string {
  const isFormula =
    /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  return `"${(isFormula ? `'${text}` : text).replaceAll('"', '""')}"`;
}
