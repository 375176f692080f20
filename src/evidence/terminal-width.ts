// Lines of at most 80 columns: wrapped at spaces, wide characters counted twice, and only names shortened, in the middle.

export const WIDTH = 80;

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60\u3000-\u303f]/u;
const MARK = /\p{Mn}/u;

/** Columns that a text takes on a terminal. Text with colour codes is measured without them by who styles it. */
export const columnsOf = (text: string): number =>
  [...text].reduce((sum, char) => sum + (MARK.test(char) ? 0 : WIDE.test(char) ? 2 : 1), 0);

/**
 * Breaks at spaces; a word that is longer than a line stays whole, so that a command, an id or a URL can be copied. Every line begins
 * with `indent`.
 */
export function wrapped(text: string, indent: string, width = WIDTH): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && columnsOf(indent) + columnsOf(longer) > width) {
      lines.push(`${indent}${line}`);
      line = word;
    } else line = longer;
  }
  return [...lines, `${indent}${line}`];
}

/** A label, a space and a text that goes on below itself. `columns` is the label's width where it holds colour codes. */
export function labelled(label: string, text: string, columns = columnsOf(label)): string[] {
  const [first = "", ...rest] = wrapped(text, " ".repeat(columns + 1));
  return [`${label} ${first.slice(columns + 1)}`, ...rest];
}

export const padded = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - columnsOf(text)));

/** `analytics.a_very_long_name` → `analytics…g_name`. */
export function middle(name: string, width: number): string {
  if (columnsOf(name) <= width) return name;
  const chars = [...name];
  const kept = width - 1;
  return `${chars.slice(0, Math.ceil(kept / 2)).join("")}…${chars.slice(-Math.floor(kept / 2)).join("")}`;
}
