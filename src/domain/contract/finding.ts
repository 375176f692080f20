// A finding: one thing that is wrong or doubtful in a contract, by path; and how zod's issues become findings.
import { z } from "zod";

export type Segment = string | number;

/** Something wrong (error) or doubtful (warning). The reader of the file turns its path into a line and a column. */
export interface Finding {
  readonly path: readonly Segment[];
  /** Whether the key or the value at the path is meant. */
  readonly at: "key" | "value";
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
}

export const errorAt = (
  path: readonly Segment[],
  code: string,
  message: string,
  at: "key" | "value" = "value",
): Finding => ({
  path,
  at,
  severity: "error",
  code,
  message,
});

export const warningAt = (path: readonly Segment[], code: string, message: string): Finding => ({
  path,
  at: "value",
  severity: "warning",
  code,
  message,
});

/** Edits (insert, delete, replace, swap neighbours) between two short words. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    const above = rows[i - 1] ?? [];
    for (let j = 1; j <= b.length; j++) {
      const change = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(change, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/** The known word that was probably meant, or null. */
export function closest(word: string, known: readonly string[]): string | null {
  if (word.length > 80) return null;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | null = null;
  let least = limit + 1;
  for (const candidate of known) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

/** Text of a file in a message: one line, cut to 60 characters, quoted. */
export function shown(text: string): string {
  const flat = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");
  return `"${[...flat].length > 60 ? `${[...flat].slice(0, 59).join("")}…` : flat}"`;
}

const didYouMean = (word: string, known: readonly string[]): string => {
  const guess = closest(word, known);
  return guess === null ? "" : `; did you mean "${guess}"?`;
};

export const unknownKey = (
  path: readonly Segment[],
  where: string,
  key: string,
  known: readonly string[],
): Finding =>
  errorAt([...path, key], "unknown-key", `${where} has no key ${shown(key)}${didYouMean(key, known)}`, "key");

export const unknownWord = (
  path: readonly Segment[],
  code: string,
  what: string,
  word: string,
  known: readonly string[],
): Finding =>
  errorAt(
    path,
    code,
    `there is no ${what} ${shown(word)}${didYouMean(word, known) || `; known: ${known.join(", ")}`}`,
  );

type AnySchema = z.core.$ZodType;

/** The schemas found one step below a schema, looking through defaults, unions and pipes. */
function below(schema: AnySchema, segment: Segment): readonly AnySchema[] {
  return unwrapped(schema).flatMap((inner): AnySchema[] => {
    if (inner instanceof z.ZodObject && typeof segment === "string" && Object.hasOwn(inner.shape, segment)) {
      return [inner.shape[segment]];
    }
    if (inner instanceof z.ZodArray && typeof segment === "number") return [inner.element];
    if (inner instanceof z.ZodRecord) return [inner.valueType];
    return [];
  });
}

function unwrapped(schema: AnySchema): readonly AnySchema[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  ) {
    return unwrapped(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return [...unwrapped(schema.in), ...unwrapped(schema.out)];
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrapped);
  return [schema];
}

/** Keys that the schema knows at a path; empty where it holds no object there. */
export function knownKeys(schema: AnySchema, path: readonly Segment[]): readonly string[] {
  let found: readonly AnySchema[] = [schema];
  for (const segment of path) found = found.flatMap((inner) => below(inner, segment));
  const objects = found.flatMap(unwrapped).filter((inner) => inner instanceof z.ZodObject);
  return [...new Set(objects.flatMap((inner) => Object.keys(inner.shape)))];
}

const valueAt = (root: unknown, path: readonly PropertyKey[]): unknown => {
  let value = root;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = Reflect.get(value, segment);
  }
  return value;
};

const NOUN: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a block of keys",
  record: "a block of keys",
  null: "nothing",
};

const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object"
    ? "a block of keys"
    : typeof value === "boolean"
      ? `the word ${value}`
      : "text";
};

const sayIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "";
      return `write ${NOUN[issue.expected] ?? issue.expected} here, not ${kindOf(issue.input)}`;
    case "invalid_value": {
      const known = issue.values.map(String);
      const word = typeof issue.input === "string" ? issue.input : null;
      const one = known.length === 1 ? `write ${known[0]}` : `write one of ${known.join(", ")}`;
      if (issue.input === undefined) return one;
      return word === null
        ? `${one}, not ${kindOf(issue.input)}`
        : `${one}, not ${shown(word)}${didYouMean(word, known)}`;
    }
    case "too_small":
      return issue.origin === "array" ? `list at least ${issue.minimum}` : `is less than ${issue.minimum}`;
    case "too_big":
      return issue.origin === "array" ? `list at most ${issue.maximum}` : `is more than ${issue.maximum}`;
    default:
      return undefined;
  }
};

/** Parses with the messages of this file. */
export const parseWith = <S extends z.ZodType>(
  schema: S,
  value: unknown,
): z.ZodSafeParseResult<z.output<S>> => schema.safeParse(value, { error: sayIssue });

const segments = (path: readonly PropertyKey[]): Segment[] =>
  path.map((segment) => (typeof segment === "symbol" ? String(segment) : segment));

/** The branch of a union that was probably meant: the one that got furthest, then the one with the fewest issues. */
function likelyBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  const depth = (branch: readonly z.core.$ZodIssue[]): number =>
    Math.max(0, ...branch.map((issue) => issue.path.length));
  const atRoot = (branch: readonly z.core.$ZodIssue[]): number =>
    branch.some(
      (issue) => issue.path.length === 0 && issue.code !== "unrecognized_keys" && issue.code !== "custom",
    )
      ? 1
      : 0;
  return (
    [...branches].sort((a, b) => atRoot(a) - atRoot(b) || a.length - b.length || depth(b) - depth(a))[0] ?? []
  );
}

/**
 * zod's issues as findings under `prefix`. `value` is what was parsed and `schema` what it was parsed with; `where` names
 * the block in a sentence about an unknown key.
 */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  schema: AnySchema,
  prefix: readonly Segment[],
  where: string,
): readonly Finding[] {
  return issues.flatMap((issue): readonly Finding[] => {
    const inside = segments(issue.path);
    const path = [...prefix, ...inside];
    if (issue.code === "unrecognized_keys") {
      const last = inside.at(-1);
      const place = typeof last === "string" ? shown(last) : where;
      return issue.keys.map((key) => unknownKey(path, place, key, knownKeys(schema, inside)));
    }
    if (issue.code === "invalid_union" && issue.message === "Invalid input") {
      const branch = likelyBranch(issue.errors).map((inner) => ({
        ...inner,
        path: [...issue.path, ...inner.path],
      }));
      if (branch.length > 0) return describeIssues(branch, value, schema, prefix, where);
    }
    if (inside.length > 0 && valueAt(value, issue.path) === undefined) {
      const what = issue.message === "" ? "" : `: ${issue.message}`;
      return [errorAt(path, "missing-key", `${shown(String(inside.at(-1)))} is missing${what}`)];
    }
    const code =
      issue.code === "custom" && typeof issue.params?.["code"] === "string"
        ? issue.params["code"]
        : "bad-value";
    return [errorAt(path, code, issue.message === "" ? "is missing" : issue.message)];
  });
}
