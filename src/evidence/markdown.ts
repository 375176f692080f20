// Markdown made of parts that cannot be broken by what stands in them.
import { atLineStart, clipped, inCode, inline, inMarkdown } from "./escape.ts";

/** A column's heading; a column of numbers stands to the right. */
export type Heading = string | { readonly numbers: string };

/** A table; cells are Markdown already. Nothing for a table without rows. */
export function table(head: readonly Heading[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const titles = head.map((one) => (typeof one === "string" ? one : one.numbers));
  const rule = head.map((one) => (typeof one === "string" ? "---" : "---:"));
  return [titles, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A folded part; `summary` is HTML-safe Markdown already. Blank lines around the body let Markdown go on inside. */
export const details = (summary: string, body: string, open = false): string =>
  body === "" ? "" : `<details${open ? " open" : ""}><summary>${summary}</summary>\n\n${body}\n\n</details>`;

export const fence = (command: string): string => `\`\`\`\n${command}\n\`\`\``;

export interface Notice {
  readonly kind: "TIP" | "CAUTION" | "WARNING" | "NOTE";
  readonly sentences: readonly string[];
  /** One command, copied with one click. */
  readonly command?: string;
  readonly after?: readonly string[];
}

/** One of GitHub's alerts, with a command in a fence of its own. Alerts may not stand inside `<details>`. */
export const alert = ({ kind, sentences, command, after = [] }: Notice): string =>
  [`[!${kind}]`, ...sentences, ...(command === undefined ? [] : fence(command).split("\n")), ...after]
    .map((line) => `> ${line}`)
    .join("\n");

/** The same words where an alert may not stand. */
export const paragraphs = ({ sentences, command, after = [] }: Notice): string =>
  [sentences.join("\n"), ...(command === undefined ? [] : [fence(command)]), after.join("\n")]
    .filter((text) => text !== "")
    .join("\n\n");

/**
 * The longest beginning of a text whose Markdown has at most `bytes` bytes: what is escaped grows, up to twentyfold, and a comment must
 * not. What is missing is counted.
 */
function within(text: string, bytes: number, print: (text: string) => string): string {
  for (let limit = bytes; ; limit = Math.floor(limit * 0.7)) {
    const out = print(clipped(text, limit));
    if (Buffer.byteLength(out, "utf8") <= bytes || limit < 10) return out;
  }
}

/** A sentence that was made elsewhere, as plain text of at most so many bytes. */
export const plain = (text: string, bytes = 1_000): string => within(text, bytes, inMarkdown);

/** A sentence of ours that holds `names` in ticks: they become code, the rest is plain. */
export const sentence = (text: string, bytes = 1_000): string =>
  within(text, bytes, (whole) =>
    atLineStart(
      whole
        .split(/`([^`]+)`/)
        .map((piece, n) => (n % 2 === 1 ? inCode(piece) : inline(piece)))
        .join(""),
    ),
  );

/** A name or a handle in code ticks; a handle loses its @. */
export const code = (text: string, bytes = 300): string => within(text, bytes, inCode);
export const handle = (text: string): string => code(text.replace(/^(?:github:)?@?/, ""), 120);

/** The first of many, and how many there are besides. */
export function firstOf(texts: readonly string[], most: number, separator = ", "): string {
  const more = texts.length - most;
  return more <= 0 ? texts.join(separator) : `${texts.slice(0, most).join(separator)} and ${more} more`;
}

/** A link, where the address is one of the web; else only its text. `text` is Markdown already. */
export function link(text: string, address: string | null | undefined): string {
  if (
    address === null ||
    address === undefined ||
    !/^https?:\/\/[^\s<>"]+$/.test(address) ||
    address.length > 1_000
  )
    return text;
  return `[${text}](${address.replace(/[()\\`|*_~[\]@]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)})`;
}
