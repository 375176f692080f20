// The source block: columns, dialect and limits that contradict themselves.
import { errorAt, type Finding, shown, warningAt } from "../finding.ts";
import type { Rule } from "./rule.ts";

/** Column that wap adds to every raw snapshot: the record's number. */
export const SOURCE_ROW = "_src_row";

/** System columns of every PostgreSQL table; a column cannot have their names. */
export const SYSTEM_COLUMNS: ReadonlySet<string> = new Set([
  "ctid",
  "xmin",
  "xmax",
  "cmin",
  "cmax",
  "tableoid",
]);

/** Names that stand twice (an error) or differ in case only (a warning), with the position of the later one. */
export function repeatedNames(
  names: readonly string[],
  path: readonly string[],
  suffix: readonly string[],
): readonly Finding[] {
  const exact = new Set<string>();
  const folded = new Map<string, string>();
  return names.flatMap((name, index) => {
    const at = [...path, index, ...suffix];
    if (exact.has(name))
      return [errorAt(at, "duplicate-column", `the column ${shown(name)} stands here for the second time`)];
    exact.add(name);
    const other = folded.get(name.toLowerCase());
    folded.set(name.toLowerCase(), name);
    if (other === undefined) return [];
    return [
      warningAt(
        at,
        "case-only",
        `the columns ${shown(other)} and ${shown(name)} differ in case only; SQL has to quote both`,
      ),
    ];
  });
}

export const sourceIsPlain: Rule = ({ source }) => {
  if (source === undefined) return [];
  const found: Finding[] = [...repeatedNames(source.columns, ["source", "columns"], [])];
  source.columns.forEach((name, index) => {
    const at = ["source", "columns", index];
    if (name === SOURCE_ROW) {
      found.push(
        errorAt(at, "reserved-name", `${SOURCE_ROW} is the name of the record's number in the raw snapshot`),
      );
    }
    if (SYSTEM_COLUMNS.has(name))
      found.push(errorAt(at, "reserved-name", `${name} is a system column of PostgreSQL`));
  });
  const { delimiter, quote, escape: escapeMark, encoding, bom } = source.dialect;
  if (delimiter === quote)
    found.push(
      errorAt(["source", "dialect", "quote"], "dialect", "delimiter and quote are the same character"),
    );
  if (quote !== "none" && delimiter === escapeMark) {
    found.push(
      errorAt(["source", "dialect", "escape"], "dialect", "delimiter and escape are the same character"),
    );
  }
  if (/[A-Za-z0-9.+-]/.test(delimiter)) {
    found.push(
      warningAt(
        ["source", "dialect", "delimiter"],
        "dialect",
        `${shown(delimiter)} is common inside cells; is it the delimiter?`,
      ),
    );
  }
  if (bom === "require" && !encoding.startsWith("utf-")) {
    found.push(
      errorAt(
        ["source", "dialect", "bom"],
        "dialect",
        `${encoding} has no byte order mark, so it cannot be required`,
      ),
    );
  }
  if (source.limits.field_bytes > source.limits.record_bytes) {
    found.push(
      errorAt(
        ["source", "limits", "field_bytes"],
        "limits",
        "a cell cannot be longer than its record; raise record_bytes",
      ),
    );
  }
  source.nulls.tokens.forEach((token, index) => {
    if (token !== "") return;
    found.push(
      errorAt(
        ["source", "nulls", "tokens", index],
        "dialect",
        "say unquoted_empty instead of an empty token",
      ),
    );
  });
  return found;
};
