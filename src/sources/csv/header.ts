// The header of a delivery against the columns that the contract declares.
import type { Contract } from "../../domain/contract.ts";
import { nameProblem } from "../../domain/identifier.ts";

/** PostgreSQL holds 1600 columns in a table; one of them is the record's number. */
const MOST_COLUMNS = 1599;

/** Columns that every table of PostgreSQL has already. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]);

const MOST_LISTED = 20;
const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, MOST_LISTED).map(shortened).join(", ");
  return names.length > MOST_LISTED ? `${shown} and ${names.length - MOST_LISTED} more` : shown;
};
const shortened = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);

/** What is wrong with a header, as a sentence that names positions and both spellings, and what to do about it. */
export interface HeaderProblem {
  readonly what: string;
  readonly next?: string;
}

/** Null where the header agrees with the contract. Pure. */
export function headerProblem(header: readonly string[], source: Contract["source"]): HeaderProblem | null {
  const dialect = wrongDialect(header, source);
  if (dialect !== null) return dialect;
  if (header.length > MOST_COLUMNS)
    return { what: `the header has ${header.length} columns, PostgreSQL holds ${MOST_COLUMNS}` };
  const problems = [...nameProblems(header), ...repeated(header, source)];
  if (problems.length > 0) return { what: problems.slice(0, MOST_LISTED).join("; ") };
  const declared = new Set(source.columns);
  const found = new Set(header);
  const missing = source.columns.filter((name) => !found.has(name));
  const extra = header.filter((name) => !declared.has(name));
  if (missing.length > 0) {
    return {
      what: `the header lacks ${listed(missing)}${extra.length > 0 ? ` and has ${listed(extra)} instead or besides` : ""}`,
    };
  }
  if (extra.length > 0 && source.extra_columns === "fail") {
    return {
      what: `the header has columns that the contract does not declare: ${listed(extra)}`,
      next: "Declare them in `source.columns`, or `extra_columns: land_only`.",
    };
  }
  if (source.dialect.header !== "exact_order") return null;
  const known = header.filter((name) => declared.has(name));
  const moved = known.findIndex((name, n) => name !== source.columns[n]);
  return moved === -1
    ? null
    : {
        what: `the header has ${known[moved]} where the contract has ${source.columns[moved]}`,
        next: "With `header: exact_set` the order does not matter.",
      };
}

function nameProblems(header: readonly string[]): string[] {
  return header.flatMap((name, n) => {
    const problem =
      name === "_src_row"
        ? "is the name that the record's number has"
        : SYSTEM_COLUMNS.has(name)
          ? "is the name of a system column of PostgreSQL"
          : nameProblem(name);
    return problem === null ? [] : [`column ${n + 1} ${JSON.stringify(name.slice(0, 80))} ${problem}`];
  });
}

/** Names that repeat, and names that differ in case only where the contract does not tell both apart by position. */
function repeated(header: readonly string[], source: Contract["source"]): string[] {
  const byFold = new Map<string, number[]>();
  for (const [n, name] of header.entries()) {
    if (name === "") continue;
    const fold = name.toLowerCase();
    byFold.set(fold, [...(byFold.get(fold) ?? []), n]);
  }
  const byPosition = source.dialect.header !== "exact_set";
  return [...byFold.values()].flatMap((places) => {
    const names = places.map((n) => header[n] ?? "");
    const distinct = new Set(names);
    if (places.length === 1) return [];
    const where = `columns ${places.map((n) => n + 1).join(" and ")}`;
    if (distinct.size === 1)
      return [`${where} have the same name ${JSON.stringify(names[0])} (duplicate header)`];
    if (distinct.size === names.length && byPosition && names.every((name) => source.columns.includes(name)))
      return [];
    return [`${where} differ in case only or are the same (duplicate header): ${listed(names)}`];
  });
}

const DELIMITERS: readonly (readonly [string, string])[] = [
  [",", ","],
  [";", ";"],
  ["\t", "\\t"],
  ["|", "|"],
];

/** A header of one cell that is the declared one, if only cut at another character. */
function wrongDialect(header: readonly string[], source: Contract["source"]): HeaderProblem | null {
  const [only] = header;
  if (header.length !== 1 || only === undefined) {
    // `sep=,` is cut at its own delimiter.
    return header.length === 2 && header[0] === "sep=" && header[1] === "" ? SEP_LINE : null;
  }
  if (/^sep=.?$/.test(only)) return SEP_LINE;
  const declared = new Set(source.columns);
  const other = DELIMITERS.find(([delimiter]) => {
    const parts = only.split(delimiter);
    return parts.length > 1 && parts.every((part) => declared.has(part.trim().replace(/^"(.*)"$/, "$1")));
  });
  return other === undefined
    ? null
    : {
        what: `the header is one column, ${JSON.stringify(shortened(only))}; cut at ${JSON.stringify(other[0])} it would have the declared names`,
        next: `Declare \`delimiter: "${other[1]}"\`.`,
      };
}

const SEP_LINE: HeaderProblem = {
  what: "the file begins with a `sep=` line of a spreadsheet program where the header should be",
  next: "Deliver the file without that line, and declare its character as `source.dialect.delimiter`.",
};
