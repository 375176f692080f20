// The contract: one YAML file, one target. Its schema, its canonical text and its hash.
import { z } from "zod";
import { clausesSchema } from "./contract/clause-block.ts";
import {
  BARE_NUMBER,
  duration,
  environmentName,
  handle,
  qualifiedName,
  repositoryPath,
  sentence,
  sqlName,
  wholeNumber,
} from "./contract/scalars.ts";
import { declaredSourceSchema, sourceSchema } from "./contract/source.ts";
import { type ContractHash, canonicalJson, type Json, sha256 } from "./fingerprint.ts";
import { parseQualifiedName, type QualifiedName } from "./identifier.ts";

const ownerSchema = z.strictObject({
  team: sentence.describe("The team that owns the contract."),
  approvers: z
    .array(handle)
    .min(1, "name at least one approver, @user or @org/team")
    .describe("Who may waive a clause: @user or @org/team."),
});

const databaseSchema = z.strictObject({
  url_env: environmentName
    .default("WAP_BUILD_URL")
    .describe("Names the variable with the builder's credential."),
  audit_url_env: environmentName
    .optional()
    .describe("Names the auditor's, where it is another one than the builder's."),
  approve_url_env: environmentName.default("WAP_APPROVE_URL").describe("Names the approver's."),
  publish_url_env: environmentName.default("WAP_PUBLISH_URL").describe("Names the publisher's."),
  consumer_role: sqlName.describe("The role that reads the target; a publish is verified under it."),
});

const incrementalSchema = z.strictObject({
  key: z.array(sqlName).min(1, "name at least one column"),
  merge: z.enum(["append", "upsert", "replace_partition"]),
  partition: sqlName.optional(),
  partitions: z.enum(["one", "many"]).default("one"),
  late_arrivals: duration.default("0d"),
  deletes: z.enum(["forbidden", "tombstone"]).default("forbidden"),
});

const sqlTransform = {
  sql: repositoryPath.describe("A file with one SELECT over {{source}} and the relations in `inputs`."),
  inputs: z
    .array(qualifiedName)
    .default([])
    .describe("Relations that the SELECT may read besides {{source}}."),
  excluded_rows: repositoryPath
    .optional()
    .describe("A file with one SELECT that gives `_src_row` and `reason` of every record that is left out."),
};

const declaredTransformSchema = z.strictObject({
  ...sqlTransform,
  sql: sqlTransform.sql.optional(),
  dbt: z
    .strictObject({ project: repositoryPath, select: sentence, relation: qualifiedName })
    .optional()
    .describe("A dbt project that builds the candidate instead of `sql`."),
});

const columnSchema = z.strictObject({
  name: sqlName,
  type: z.string("write a type").min(1).max(200).describe("As PostgreSQL's format_type prints it."),
  nulls: z.enum(["never", "allowed"]).describe("Whether the column may hold null."),
  collation: sqlName.optional(),
  class: z
    .enum(["public", "internal", "confidential", "pii"])
    .optional()
    .describe("Cells of a pii or confidential column are never shown."),
  doc: sentence.optional(),
});
export type TargetColumn = z.infer<typeof columnSchema>;

const indexSchema = z.strictObject({
  name: sqlName.optional(),
  columns: z.array(sqlName).min(1, "name at least one column"),
  unique: z.boolean("write true or false").default(false),
  method: z.enum(["btree", "hash", "brin", "gin", "gist"]).default("btree"),
});

const promotionSchema = z.strictObject({
  strategy: z.enum(["auto", "view", "table", "partition"]).default("auto"),
  indexes: z.array(indexSchema).default([]).describe("Indexes of each published version."),
  retention: z
    .strictObject({
      versions: wholeNumber(1, 1000).default(3).describe("Previous versions that are kept at least."),
      age: duration.default("30d").describe("Age up to which previous versions are kept."),
      observe_for: duration
        .default("1d")
        .describe("How long a new version is observed before an older one may go."),
    })
    .prefault({}),
  lock_timeout: duration.default("5s").describe("How long a publish waits for its locks."),
  statement_timeout: duration.default("10m").describe("How long one statement may take."),
});

const approver = z
  .string("write @user, @org/team, codeowners or permission:maintain")
  .regex(
    /^(?:@[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\/[A-Za-z0-9_.-]{1,100})?|codeowners|permission:(?:admin|maintain|write))$/,
    "write @user, @org/team, codeowners, permission:admin, permission:maintain or permission:write",
  );

const approvalSchema = z.strictObject({
  merge: z
    .boolean("write true or false")
    .default(false)
    .describe("Whether merging publishes what was shown."),
  approvers: z
    .array(approver)
    .min(1, "name at least one approver")
    .optional()
    .describe("Who may approve a publish; by default what the Action's input says."),
  min: wholeNumber(1, 10).default(1).describe("How many people have to approve."),
  allow_author: z.boolean("write true or false").default(false).describe("Whether the author may approve."),
  max_run_age: duration.default("7d").describe("A run older than this is not published."),
});

const identity = {
  wap_contract: z
    .preprocess((value) => (value === "1" ? 1 : value), z.literal(1))
    .describe("Version of this format: 1."),
  id: z
    .string("write text")
    .regex(
      /^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*$/,
      "write lower-case letters, digits, _ and -, in parts with dots between",
    )
    .max(100, "write at most 100 characters")
    .describe("Name of the contract, unique in the repository."),
  version: z
    .string("write text such as 1.0.0")
    .regex(/^[0-9A-Za-z][0-9A-Za-z.+-]{0,49}$/, "write a version such as 1.0.0")
    .meta({ ...BARE_NUMBER, description: "Version of the contract." }),
  description: sentence.optional(),
  contract_owner: ownerSchema,
  database: databaseSchema,
  target: qualifiedName.describe("schema.table as the reader sees it."),
  target_schema: z
    .array(columnSchema)
    .min(1, "declare at least one column")
    .max(1600, "PostgreSQL holds at most 1600 columns in a table")
    .describe("The columns of the target, in order."),
  promotion: promotionSchema.prefault({}),
  approval: approvalSchema.prefault({}),
  clauses: clausesSchema,
};

/** The whole contract language; what this version cannot run is refused by lint (`not-yet-supported`). */
export const declarationSchema = z.strictObject({
  ...identity,
  engine: z.enum(["postgres", "duckdb", "iceberg", "snowflake"]).default("postgres"),
  refresh: z.enum(["full", "incremental"]),
  incremental: incrementalSchema.optional(),
  source: declaredSourceSchema,
  transform: declaredTransformSchema,
});
export type Declaration = z.infer<typeof declarationSchema>;

/**
 * A contract that this version runs: one csv file, one SQL transform, PostgreSQL, a full refresh (specification, Declare
 * the contract). Its own output parses to the same value, so that the canonical text of a run can be read back.
 */
export const contractSchema = z.strictObject({
  ...identity,
  engine: z.literal("postgres").default("postgres"),
  refresh: z.literal("full"),
  source: sourceSchema,
  transform: z.strictObject(sqlTransform),
});
export type Contract = z.infer<typeof contractSchema>;

/** Reads back the canonical text that a run's manifest holds. @throws ZodError or SyntaxError for any other text. */
export const parseCanonicalContract = (text: string): Contract => contractSchema.parse(JSON.parse(text));

/** The target's name in parts. */
export function targetOf(contract: { readonly target: string }): QualifiedName {
  const parsed = parseQualifiedName(contract.target);
  if (typeof parsed === "string") throw new RangeError(parsed);
  return parsed;
}

/** Canonical JSON of the contract with every default written out (docs/canonical-bytes.md). */
export const canonicalContract = (contract: Contract): string =>
  canonicalJson(z.json().parse(contract) as Json);

/** sha256 of the canonical text (specification: contract_hash). */
export const contractHash = (contract: Contract): ContractHash =>
  sha256<"contract">(canonicalContract(contract));
