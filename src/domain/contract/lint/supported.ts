// What the language knows and this version does not run: an error, so that nothing is half done.
import { CLAUSES } from "../../clauses.ts";
import { errorAt, type Finding, type Segment } from "../finding.ts";
import type { Encoding } from "../source.ts";
import type { Rule } from "./rule.ts";

/** Encodings that sources/csv decodes; a test compares the two lists. */
export const READ_ENCODINGS: readonly Encoding[] = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "iso-8859-1",
  "iso-8859-15",
];

const notYet = (path: readonly Segment[], sentence: string): Finding =>
  errorAt(path, "not-yet-supported", sentence);

export const onlyWhatRuns: Rule = ({
  engine,
  refresh,
  incremental,
  source,
  transform,
  promotion,
  approval,
  clauses,
}) => {
  const found: Finding[] = [];
  if (engine !== undefined && engine !== "postgres")
    found.push(notYet(["engine"], "this version runs on PostgreSQL only"));
  if (refresh === "incremental") found.push(notYet(["refresh"], "this version builds full refreshes only"));
  else if (incremental !== undefined)
    found.push(notYet(["incremental"], "this version builds full refreshes only; remove the block"));
  if (source !== undefined) {
    if (source.kind !== "csv") found.push(notYet(["source", "kind"], "this version lands csv files only"));
    if (source.path?.startsWith("https://")) {
      found.push(
        notYet(["source", "path"], "this version lands files of the repository only, no https addresses"),
      );
    } else if (source.path !== undefined && /[*?[\]{}]/.test(source.path)) {
      found.push(
        notYet(["source", "path"], "this version lands one file; write its path without *, ?, [ ] and { }"),
      );
    }
    if (source.path !== undefined && /\.(?:zst|zip|bz2|xz|7z)$/i.test(source.path)) {
      found.push(notYet(["source", "path"], "this version reads plain files and gzip"));
    }
    if (!READ_ENCODINGS.includes(source.dialect.encoding)) {
      const known = READ_ENCODINGS.join(", ");
      found.push(notYet(["source", "dialect", "encoding"], `this version reads ${known}`));
    }
    if (source.control_file !== undefined)
      found.push(notYet(["source", "control_file"], "this version reads no control file"));
    if (source.as_of?.startsWith("control.")) {
      found.push(
        notYet(["source", "as_of"], "this version reads no control file; write a timestamp with its offset"),
      );
    }
  }
  if (transform?.dbt !== undefined)
    found.push(notYet(["transform", "dbt"], "this version builds with one SQL file only"));
  if (promotion?.strategy === "table" || promotion?.strategy === "partition") {
    found.push(notYet(["promotion", "strategy"], "this version promotes by view only; write auto or view"));
  }
  if (approval !== undefined && approval.min > 1) {
    found.push(notYet(["approval", "min"], "this version asks one person; write 1"));
  }
  for (const clause of CLAUSES) {
    for (const [name, assertion] of clauses[clause].assertions) {
      if (assertion.of !== "merged" && assertion.of !== "published") continue;
      found.push(notYet(["clauses", clause, name, "of"], "this version measures raw and staged rows only"));
    }
  }
  return found;
};

/** Keys that a source or a transform of this kind needs, and keys that it cannot have. */
export const blocksAgree: Rule = ({ source, transform, refresh, incremental }) => {
  const found: Finding[] = [];
  if (source !== undefined) {
    const needed = { csv: "path", jsonl: "path", parquet: "path", table: "relation", query: "sql" } as const;
    const key = needed[source.kind];
    if (source[key] === undefined)
      found.push(errorAt(["source", key], "missing-key", `a ${source.kind} source needs "${key}"`));
    for (const other of ["path", "relation", "sql"] as const) {
      if (other === key || source[other] === undefined) continue;
      found.push(
        errorAt(["source", other], "key-not-used", `a ${source.kind} source has no "${other}"`, "key"),
      );
    }
    if (source.kind === "csv" && source.columns.length === 0) {
      found.push(
        errorAt(
          ["source", "columns"],
          "missing-key",
          'a csv source needs "columns": the names of the file\'s columns',
        ),
      );
    }
  }
  if (transform !== undefined) {
    if (transform.sql === undefined && transform.dbt === undefined) {
      found.push(
        errorAt(["transform", "sql"], "missing-key", 'a transform needs "sql": a file with one SELECT'),
      );
    }
    if (transform.sql !== undefined && transform.dbt !== undefined) {
      found.push(errorAt(["transform", "dbt"], "key-not-used", "a transform has either sql or dbt", "key"));
    }
  }
  if (refresh === "incremental" && incremental === undefined) {
    found.push(
      errorAt(["incremental"], "missing-key", 'an incremental refresh needs the block "incremental"'),
    );
  }
  return found;
};
