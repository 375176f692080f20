// A problem with the lines of the file around it, for a terminal; and the one-line form for logs and screen readers.
import type { Problem } from "../domain/errors.ts";

export interface FrameOptions {
  /** Columns of the terminal; 80 by default, never less than 40. */
  readonly width?: number;
}

interface Cell {
  readonly text: string;
  readonly width: number;
  /** UTF-16 offset in the line. */
  readonly offset: number;
}

const TAB = 4;
const NO_WIDTH = /^[\p{Mn}\p{Me}]$/u;
const INVISIBLE = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

/** Text that cannot move the cursor or reorder a line: every invisible character becomes a visible mark. */
const visible = (text: string): string =>
  [...text].map((char) => (INVISIBLE.test(char) ? "�" : char)).join("");

/** A connection string in the wrong place is not printed again. */
const withoutPasswords = (line: string): string =>
  line.replace(
    /(:\/\/)([^\s/@]*)@/g,
    (_, slashes: string, secret: string) => `${slashes}${"*".repeat(secret.length)}@`,
  );

function cellsOf(line: string): readonly Cell[] {
  const cells: Cell[] = [];
  let offset = 0;
  let column = 0;
  for (const char of withoutPasswords(line)) {
    const text = char === "\t" ? " ".repeat(TAB - (column % TAB)) : visible(char);
    const width = char === "\t" ? text.length : NO_WIDTH.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
    cells.push({ text, width, offset });
    offset += char.length;
    column += width;
  }
  return cells;
}

const widthOf = (cells: readonly Cell[]): number => cells.reduce((sum, cell) => sum + cell.width, 0);

/** Length in UTF-16 units of the word, quoted text or mark that begins at a column. */
function lengthAt(line: string, start: number): number {
  const rest = line.slice(start);
  const word = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,:{}[\]"']+)/.exec(rest);
  return Math.max(1, word === null ? 1 : word[0].length);
}

/** The part of a long line that holds the target, with … where something is left out. */
function cut(
  cells: readonly Cell[],
  target: number,
  room: number,
): { readonly cells: readonly Cell[]; readonly before: boolean; readonly after: boolean } {
  if (widthOf(cells) <= room) return { cells, before: false, after: false };
  const index = Math.max(
    0,
    cells.findIndex((cell) => cell.offset >= target),
  );
  let from = index;
  for (let used = 0; from > 0 && used + (cells[from - 1]?.width ?? 0) <= Math.floor(room / 3); from--)
    used += cells[from - 1]?.width ?? 0;
  const before = from > 0;
  let to = from;
  let used = before ? 2 : 1;
  for (; to < cells.length && used + (cells[to]?.width ?? 0) <= room; to++) used += cells[to]?.width ?? 0;
  return { cells: cells.slice(from, to), before, after: to < cells.length };
}

const drawn = (part: ReturnType<typeof cut>): string =>
  `${part.before ? "…" : ""}${part.cells.map((cell) => cell.text).join("")}${part.after ? "…" : ""}`;

function wrapped(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(cellsOf(longer)) > room) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** The problem with its line, the line before, a mark under the place and the sentence. Ends without a line break. */
export function codeFrame(problem: Problem, text: string, options: FrameOptions = {}): string {
  const width = Math.max(40, options.width ?? 80);
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const head = `${problem.severity}[${problem.code}]  ${visible(problem.path)}:${problem.line}:${problem.column}`;
  const tail = `   more: wap help ${problem.code}`;
  const message = visible(problem.message);
  const line = lines[problem.line - 1];
  if (line === undefined)
    return [head, ...wrapped(message, width - 3).map((part) => `   ${part}`), tail].join("\n");

  const digits = String(problem.line).length;
  const room = width - digits - 6;
  const target = problem.column - 1;
  const part = cut(cellsOf(line), target, room);
  const end = target + lengthAt(line, target);
  const gutter = `   ${" ".repeat(digits)} │ `;
  const indent = (part.before ? 1 : 0) + widthOf(part.cells.filter((cell) => cell.offset < target));
  const marked = Math.max(
    1,
    widthOf(part.cells.filter((cell) => cell.offset >= target && cell.offset < end)),
  );
  const mark = `${" ".repeat(indent)}${"━".repeat(marked)}`;
  const fits = indent + marked + 1 + widthOf(cellsOf(message)) <= room;

  const out = [head];
  const above = lines[problem.line - 2];
  if (above !== undefined && above.trim() !== "") {
    out.push(
      `   ${String(problem.line - 1).padStart(digits)} │ ${drawn(cut(cellsOf(above), 0, room))}`.trimEnd(),
    );
  }
  out.push(` ▸ ${problem.line} │ ${drawn(part)}`.trimEnd());
  if (fits) out.push(`${gutter}${mark} ${message}`);
  else out.push(`${gutter}${mark}`, ...wrapped(message, room).map((piece) => `${gutter}${piece}`));
  return [...out, tail].join("\n");
}

/** `path:line:column: error code: sentence`, on one line, without drawing characters. */
export const plainProblem = (problem: Problem): string =>
  `${visible(problem.path)}:${problem.line}:${problem.column}: ${problem.severity} ${problem.code}: ${visible(problem.message)}`;
