// One function per output: whatever text comes in, it stays text (safety U2).

/** Characters that a reader cannot see or that move others: shown by their code point. Tab and line ends are handled by each output. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u00a0\u180e\u2800\u3164]/gu;

const shown = (char: string): string =>
  `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** Text without characters that act: for terminals and logs. Line ends become ⏎, so that a line stays a line. */
export const forTerminal = (text: string): string =>
  text.replace(/\r\n|[\r\n]/g, "⏎").replace(INVISIBLE, shown);

const MARKDOWN: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
  "|": "&#124;",
  "*": "&#42;",
  _: "&#95;",
  "~": "&#126;",
  "[": "&#91;",
  "]": "&#93;",
  "(": "&#40;",
  ")": "&#41;",
  "#": "&#35;",
  "!": "&#33;",
  "\\": "&#92;",
  $: "&#36;",
  // A mention, a link that GitHub makes by itself, an issue number, an emoji: each needs one of these.
  "@": "&#64;",
  ":": "&#58;",
};

/** Plain text inside a Markdown paragraph or table cell: no mark-up, mention, link or HTML comes out of it. */
export const inMarkdown = (text: string): string =>
  forTerminal(text)
    .replace(/[&<>"'`|*_~[\]()#!\\$@:]/g, (char) => MARKDOWN[char] ?? char)
    // Autolinks without a scheme: www.example.com and a commit-like run of hexadecimal digits.
    .replace(/\b(www)\./gi, "$1&#46;");

/** Text in code ticks: people's handles and names; nobody is pinged by code. */
export function inCode(text: string): string {
  const line = forTerminal(text).replaceAll("|", "¦");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return line === "" ? "` `" : `${fence}${pad}${line}${pad}${fence}`;
}

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text inside an HTML element or a quoted attribute. */
export const inHtml = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(INVISIBLE, (char) => (char === "\n" || char === "\t" ? char : shown(char)))
    .replace(/[&<>"']/g, (char) => HTML[char] ?? char);

/** A spreadsheet cell of a CSV export: quoted, and never a formula. */
export function inCsv(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
