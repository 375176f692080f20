// Contract text to a contract, or to every problem of it at once with line and column.

import { draftContract } from "../domain/contract/draft.ts";
import { describeIssues, type Finding, parseWith, type Segment } from "../domain/contract/finding.ts";
import { lintContract } from "../domain/contract/lint.ts";
import type { Contract } from "../domain/contract.ts";
import { contractSchema } from "../domain/contract.ts";
import type { Problem } from "../domain/errors.ts";
import { MAX_CONTRACT_BYTES, placeKey, readYaml, type YamlText } from "./yaml.ts";

/** Counts from 1; columns in UTF-16 code units, as editors count. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface ReadContract {
  /** Null where a problem is an error. */
  readonly contract: Contract | null;
  /** Errors and warnings in the order of the file. */
  readonly problems: readonly Problem[];
  /** Where a key stands, or the nearest block around it that does: `positionOf(["clauses", "volume", "rows"])`. */
  readonly positionOf: (path: readonly Segment[]) => Position;
}

const MAX_PROBLEMS = 500;
const START: Position = { line: 1, column: 1 };

const nothing = (path: string, code: string, message: string): ReadContract => ({
  contract: null,
  problems: [{ path, ...START, severity: "error", code, message }],
  positionOf: () => START,
});

/** The text of the file, without its byte order mark; or what is wrong with its bytes. */
function decode(
  input: string | Uint8Array,
): { readonly text: string } | { readonly code: string; readonly message: string } {
  const size = typeof input === "string" ? Buffer.byteLength(input) : input.byteLength;
  if (size > MAX_CONTRACT_BYTES) {
    return {
      code: "too-large",
      message: `the file has ${size} bytes; a contract has at most ${MAX_CONTRACT_BYTES}`,
    };
  }
  if (typeof input === "string") return { text: input.replace(/^\ufeff/, "") };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(input) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { code: "not-utf8", message: "the file is not UTF-8; save it as UTF-8 without a byte order mark" };
  }
}

const positionAt = (yaml: YamlText, offset: number): Position => {
  const { line, col } = yaml.lines.linePos(offset);
  return line < 1 ? START : { line, column: col };
};

/** Offset of the place at a path, or of the nearest place around it. */
function offsetOf(yaml: YamlText, path: readonly Segment[], prefer: "key" | "value"): number {
  for (let length = path.length; length >= 0; length--) {
    const place = yaml.places.get(placeKey(path.slice(0, length)));
    if (place === undefined) continue;
    const wantsValue = prefer === "value" && place.scalar && length === path.length;
    return wantsValue ? place.value : (place.key ?? place.value);
  }
  return 0;
}

const ordered = (problems: readonly Problem[]): readonly Problem[] =>
  [...problems].sort((a, b) => a.line - b.line || a.column - b.column);

/**
 * Reads a contract. Whatever the text is, the answer is a contract or problems, never an error.
 * @param path as it stands in messages, relative to the repository's root
 * @param today the day on which waivers are judged
 */
export function readContract(path: string, input: string | Uint8Array, today: Date): ReadContract {
  const decoded = decode(input);
  if (!("text" in decoded)) return nothing(path, decoded.code, decoded.message);
  const yaml = readYaml(decoded.text);
  const textProblems = yaml.problems.map(
    (problem): Problem => ({
      path,
      ...positionAt(yaml, problem.offset),
      severity: "error",
      code: problem.code,
      message: problem.message,
    }),
  );
  const positionOf = (at: readonly Segment[]): Position => positionAt(yaml, offsetOf(yaml, at, "key"));
  if (yaml.value === undefined)
    return { contract: null, problems: capped(path, ordered(textProblems)), positionOf };

  // What is wrong as text would be told a second time as a wrong value of the same place.
  const told = new Set(textProblems.map((problem) => `${problem.line}:${problem.column}`));
  const problemOf = (finding: Finding): Problem => ({
    path,
    ...positionAt(yaml, offsetOf(yaml, finding.path, finding.at)),
    severity: finding.severity,
    code: finding.code,
    message: finding.message,
  });
  const { draft, findings } = draftContract(yaml.value);
  const meant = [...findings, ...lintContract(draft, today)].map(problemOf);
  const problems = [
    ...textProblems,
    ...meant.filter((problem) => !told.has(`${problem.line}:${problem.column}`)),
  ];
  if (problems.some((problem) => problem.severity === "error")) {
    return { contract: null, problems: capped(path, ordered(problems)), positionOf };
  }
  const parsed = parseWith(contractSchema, yaml.value);
  if (parsed.success) return { contract: parsed.data, problems: capped(path, ordered(problems)), positionOf };
  const rest = describeIssues(parsed.error.issues, yaml.value, contractSchema, [], "a contract").map(
    problemOf,
  );
  return { contract: null, problems: capped(path, ordered([...problems, ...rest])), positionOf };
}

function capped(path: string, problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  const distinct = problems.filter((problem) => {
    const key = JSON.stringify([problem.line, problem.column, problem.code, problem.message]);
    return !seen.has(key) && seen.add(key);
  });
  const last = distinct[MAX_PROBLEMS - 1];
  if (last === undefined || distinct.length === MAX_PROBLEMS) return distinct;
  const message = `${distinct.length - MAX_PROBLEMS} more problems are not listed`;
  const errorsLeft = distinct.slice(MAX_PROBLEMS).some((problem) => problem.severity === "error");
  const note: Problem = {
    path,
    line: last.line,
    column: last.column,
    severity: errorsLeft ? "error" : "warning",
    code: "too-many-problems",
    message,
  };
  return [...distinct.slice(0, MAX_PROBLEMS), note];
}
