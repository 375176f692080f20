// The strict RFC-4180 state machine: one record at a time out of a text, with what is wrong about it and where it began.
import type { Dialect } from "../../domain/contract/source.ts";

/** Which cells are null, by the contract's rules; tokens match cells without quotes only. */
export interface NullRules {
  readonly unquotedEmpty: boolean;
  readonly quotedEmpty: boolean;
  readonly tokens: ReadonlySet<string>;
}

/**
 * What a scan found. More text never changes an answer other than `incomplete`: that is what makes the outcome independent of how
 * the bytes were cut into chunks. `cell` counts from 0; offsets are those of the text.
 */
export type Scanned =
  | {
      readonly kind: "record";
      readonly cells: readonly (string | null)[];
      /** Offset after the record's end. */
      readonly next: number;
      /** How the record ended; `none` at the end of the text. */
      readonly ended: "lf" | "crlf" | "none";
      /** Line ends inside quoted cells. */
      readonly linesInside: number;
      /** Most line ends in one cell, and length of the longest cell in UTF-16 units. */
      readonly newlinesInCell: number;
      readonly longestCell: number;
      /** One cell, empty, without quotes. */
      readonly blank: boolean;
    }
  /** The record is not RFC-4180; the text is readable again from `next`, the line after. */
  | {
      readonly kind: "bad";
      readonly reason: "stray-quote" | "text-after-quote";
      readonly cell: number;
      readonly next: number;
    }
  /** The rest of the text cannot be read. `at` is where it began, `end` where it was certain. */
  | {
      readonly kind: "fault";
      readonly what: "bare-cr" | "nul" | "unclosed-quote";
      readonly cell: number;
      readonly at: number;
      readonly end: number;
    }
  /** More text is needed. `quoteAt` is the opening quote of a cell that has not ended, or null. */
  | { readonly kind: "incomplete"; readonly cell: number; readonly quoteAt: number | null };

const LF = 10;
const CR = 13;

/** Scans the record that begins at `start`. `final` says that no more text follows. */
export function scanRecord(
  text: string,
  start: number,
  dialect: Dialect,
  nulls: NullRules,
  final: boolean,
): Scanned {
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote === "none" ? -1 : dialect.quote.charCodeAt(0);
  const escapeCode = quote === -1 ? -1 : dialect.escape.charCodeAt(0);
  const cells: (string | null)[] = [];
  let at = start;
  let linesInside = 0;
  let newlinesInCell = 0;
  let longestCell = 0;
  let blank = false;

  for (;;) {
    if (at < text.length && text.charCodeAt(at) === quote) {
      const cell = quotedCell(text, at, quote, escapeCode, final);
      const until = cell.kind === "cell" ? cell.next : text.length;
      const nul = text.slice(at, until).indexOf("\0");
      if (nul !== -1) return { kind: "fault", what: "nul", cell: cells.length, at, end: at + nul + 1 };
      if (cell.kind === "incomplete") return { kind: "incomplete", cell: cells.length, quoteAt: at };
      if (cell.kind === "unclosed")
        return { kind: "fault", what: "unclosed-quote", cell: cells.length, at, end: text.length };
      const newlines = countNewlines(cell.value);
      linesInside += newlines;
      newlinesInCell = Math.max(newlinesInCell, newlines);
      longestCell = Math.max(longestCell, cell.value.length);
      cells.push(cell.value === "" && nulls.quotedEmpty ? null : cell.value);
      at = cell.next;
    } else {
      const from = at;
      let code = -1;
      for (; at < text.length; at += 1) {
        code = text.charCodeAt(at);
        if (code === delimiter || code === LF || code === CR) break;
        if (code === quote) return badRecord(text, at, "stray-quote", cells.length, final);
        if (code === 0) return { kind: "fault", what: "nul", cell: cells.length, at, end: at + 1 };
      }
      if (at === text.length && !final) return { kind: "incomplete", cell: cells.length, quoteAt: null };
      longestCell = Math.max(longestCell, at - from);
      const value = from === at ? "" : text.slice(from, at);
      if (value === "") {
        if (cells.length === 0) blank = true;
        cells.push(nulls.unquotedEmpty || nulls.tokens.has("") ? null : "");
      } else cells.push(nulls.tokens.size > 0 && nulls.tokens.has(value) ? null : value);
    }

    const code = at === text.length ? -1 : text.charCodeAt(at);
    if (code === delimiter) {
      at += 1;
      continue;
    }
    let ended: "lf" | "crlf" | "none" = "none";
    if (code === LF) {
      ended = "lf";
      at += 1;
    } else if (code === CR) {
      if (at + 1 === text.length && !final)
        return { kind: "incomplete", cell: cells.length - 1, quoteAt: null };
      if (text.charCodeAt(at + 1) !== LF)
        return { kind: "fault", what: "bare-cr", cell: cells.length - 1, at, end: at + 1 };
      ended = "crlf";
      at += 2;
    } else if (code !== -1) return badRecord(text, at, "text-after-quote", cells.length - 1, final);
    else if (!final) return { kind: "incomplete", cell: cells.length - 1, quoteAt: null };
    return {
      kind: "record",
      cells,
      next: at,
      ended,
      linesInside,
      newlinesInCell,
      longestCell,
      blank: blank && cells.length === 1,
    };
  }
}

/** The record is given up at `at`: its line has to be at hand to its end, or the rest of it would become a record of its own. */
function badRecord(
  text: string,
  at: number,
  reason: "stray-quote" | "text-after-quote",
  cell: number,
  final: boolean,
): Scanned {
  const lineEnd = text.indexOf("\n", at);
  const next = lineEnd === -1 ? text.length : lineEnd + 1;
  const nul = text.slice(at, next).indexOf("\0");
  if (nul !== -1) return { kind: "fault", what: "nul", cell, at: at + nul, end: at + nul + 1 };
  if (lineEnd === -1 && !final) return { kind: "incomplete", cell, quoteAt: null };
  return { kind: "bad", reason, cell, next };
}

type Quoted =
  | { readonly kind: "cell"; readonly value: string; readonly next: number }
  | { readonly kind: "incomplete" }
  | { readonly kind: "unclosed" };

/** A quoted cell that begins at `start`; a doubled quote, or an escaped one where the dialect has another escape, is a quote. */
function quotedCell(text: string, start: number, quote: number, escapeCode: number, final: boolean): Quoted {
  const open: Quoted = final ? { kind: "unclosed" } : { kind: "incomplete" };
  let value = "";
  let from = start + 1;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (escapeCode !== quote && code === escapeCode) {
      if (at + 1 === text.length) return open;
      const escaped = text.charCodeAt(at + 1);
      if (escaped !== quote && escaped !== escapeCode) continue;
      value += text.slice(from, at);
      from = at + 1;
      at += 1;
    } else if (code === quote) {
      if (at + 1 === text.length && !final) return { kind: "incomplete" };
      if (escapeCode === quote && text.charCodeAt(at + 1) === quote) {
        value += text.slice(from, at + 1);
        from = at + 2;
        at += 1;
        continue;
      }
      return { kind: "cell", value: value + text.slice(from, at), next: at + 1 };
    }
  }
  return open;
}

/** Line ends in a text, by its LFs. */
export function countNewlines(value: string): number {
  let lines = 0;
  for (let at = value.indexOf("\n"); at !== -1; at = value.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
