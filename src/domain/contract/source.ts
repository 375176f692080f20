// The source block: what is delivered, in which dialect, within which limits. Declared, never sniffed at run time.
import { z } from "zod";
import { exactRate, pathProblem, qualifiedName, repositoryPath, sqlName, wholeNumber } from "./scalars.ts";

export const SOURCE_KINDS = ["csv", "jsonl", "parquet", "table", "query"] as const;

/** Encodings a delivered text file may have; an undefined byte is an error, never replaced. */
export const ENCODINGS = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1250",
  "windows-1251",
  "windows-1252",
  "windows-1253",
  "windows-1254",
  "windows-1257",
  "iso-8859-1",
  "iso-8859-2",
  "iso-8859-15",
  "cp437",
  "cp850",
  "macintosh",
] as const;
export type Encoding = (typeof ENCODINGS)[number];

const oneCharacter = (what: string) =>
  z
    .string(`write one ASCII character as the ${what}`)
    .regex(/^[\t\x20-\x7e]$/, `write one ASCII character as the ${what} (a tab is "\\t")`);

export const dialectSchema = z.strictObject({
  delimiter: oneCharacter("delimiter").default(",").describe('Between two cells; a tab is written "\\t".'),
  quote: z
    .union(
      [z.literal("none"), oneCharacter("quote")],
      "write one ASCII character, or none where cells are never quoted",
    )
    .default('"')
    .describe("Around a cell; `none` where cells are never quoted."),
  escape: oneCharacter("escape").default('"').describe("Before a quote inside a quoted cell."),
  encoding: z.enum(ENCODINGS).default("utf-8"),
  bom: z
    .enum(["strip", "forbid", "require"])
    .default("strip")
    .describe("What to do with a byte order mark at the start."),
  newline: z
    .enum(["lf", "crlf", "uniform", "any"])
    .default("uniform")
    .describe("Ends of records; `uniform` is either, but the same in the whole file."),
  header: z
    .enum(["exact_order", "exact_set", "none"])
    .default("exact_order")
    .describe(
      "How the file's header has to agree with `source.columns`; `none` where the file has no header.",
    ),
});
export type Dialect = z.infer<typeof dialectSchema>;

export const nullsSchema = z.strictObject({
  unquoted_empty: z
    .boolean("write true or false")
    .default(true)
    .describe("An empty cell without quotes is null."),
  quoted_empty: z.boolean("write true or false").default(false).describe("An empty cell in quotes is null."),
  tokens: z
    .array(z.string("write text").max(100, "write at most 100 characters"))
    .max(50, "write at most 50 tokens")
    .default([])
    .describe("Unquoted cells with exactly this text are null."),
});

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

export const limitsSchema = z.strictObject({
  record_bytes: wholeNumber(1, GIB)
    .default(MIB)
    .describe("Longest record in bytes of UTF-8; 1 MiB by default."),
  field_bytes: wholeNumber(1, GIB)
    .default(256 * KIB)
    .describe("Longest cell in bytes of UTF-8; 256 KiB by default."),
  newlines_in_field: wholeNumber(0, 1_000_000)
    .default(0)
    .describe(
      "Line ends inside one quoted cell; 0 by default, so that a quote that is never closed is seen at once.",
    ),
  records: wholeNumber(1).optional().describe("Most records in the file; no limit by default."),
});

export const rejectsSchema = z.strictObject({
  max: wholeNumber(0).default(0).describe("Records that may be set aside; 0 by default."),
  rate: exactRate.optional().describe("Share of records that may be set aside; both limits hold."),
});

const deliveredPath = z
  .string("write a path relative to the repository's root")
  .superRefine((path, context) => {
    if (/^https:\/\/[^\s@]+$/.test(path)) return;
    const problem = pathProblem(path);
    if (problem !== null)
      context.addIssue({ code: "custom", message: `the path ${problem}`, params: { code: "bad-path" } });
  });

export const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})$/;

const asOf = z
  .string("write a timestamp with its offset, or control.<field>")
  .refine(
    (text) =>
      /^control\.[A-Za-z_][A-Za-z0-9_]*$/.test(text) ||
      (INSTANT.test(text) && !Number.isNaN(Date.parse(text))),
    "write a timestamp with its offset, such as 2026-11-24T06:00:00Z, or control.<field>",
  );

const common = {
  columns: z
    .array(sqlName)
    .max(1600, "PostgreSQL holds at most 1600 columns in a table")
    .default([])
    .describe(
      "Names of the file's columns. Required for csv: with `header: exact_order` the header must be these names in this order, with `exact_set` in any order, and with `none` they name the columns by position.",
    ),
  dialect: dialectSchema.prefault({}),
  nulls: nullsSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  rejects: rejectsSchema.prefault({}),
  extra_columns: z
    .enum(["fail", "land_only"])
    .default("fail")
    .describe("A column that is not in `columns`: stop, or land it without using it."),
  blank_lines: z.enum(["reject", "skip_counted"]).default("reject").describe("A line without any cell."),
  as_of: asOf.optional().describe("The clock of the delivery, which a freshness assertion may name."),
};

/** Every source of the vocabulary. */
export const declaredSourceSchema = z.strictObject({
  kind: z.enum(SOURCE_KINDS),
  path: deliveredPath
    .optional()
    .describe("The delivered file (csv, jsonl, parquet), gzip understood by its name."),
  relation: qualifiedName.optional().describe("The relation to read (table)."),
  sql: repositoryPath.optional().describe("A file with one SELECT (query)."),
  control_file: deliveredPath
    .optional()
    .describe("A file of control totals that is delivered with the data."),
  ...common,
});

/** The sources that this version lands: one csv file of the repository. */
export const sourceSchema = z.strictObject({
  kind: z.literal("csv"),
  path: repositoryPath,
  ...common,
  columns: z.array(sqlName).min(1),
});
