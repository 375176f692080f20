// One assertion: the keys that every assertion may have, and the keys of its check from the registry.
import { z } from "zod";
import { SUBJECTS } from "../audits/check.ts";
import type { Clause } from "../clauses.ts";
import {
  describeIssues,
  errorAt,
  type Finding,
  knownKeys,
  parseWith,
  type Segment,
  shown,
  unknownKey,
  unknownWord,
} from "./finding.ts";
import { exactRate, sentence, sqlName, wholeNumber } from "./scalars.ts";

export const ASSERTION_NAME = /^[a-z][a-z0-9_]{0,59}$/;

const sampleSchema = z.strictObject({
  rows: wholeNumber(1, 100).describe("How many example rows the evidence may hold."),
  columns: z.array(sqlName).min(1, "name at least one column").optional(),
  hide: z.array(sqlName).min(1, "name at least one column").optional(),
});

const allowSchema = z
  .strictObject({ rows: wholeNumber(0).optional(), rate: exactRate.optional() })
  .refine(
    (allow) => (allow.rows === undefined) !== (allow.rate === undefined),
    "write either `rows` or `rate`",
  );

/** Keys on every assertion (contract: Keys on every assertion). */
export const assertionKeysSchema = z.strictObject({
  check: z.string("name a check"),
  of: z
    .enum(SUBJECTS)
    .optional()
    .describe("What is measured: the raw snapshot, the stage, the merged candidate, the published version."),
  where: sentence.optional().describe("A SQL condition: only these rows are tested."),
  group_by: z
    .array(sqlName)
    .min(1, "name at least one column")
    .optional()
    .describe("Measured in each group."),
  level: z
    .enum(["gate", "advisory"])
    .default("gate")
    .describe("An advisory reading is shown and never stops a publish."),
  allow: allowSchema
    .optional()
    .describe("Violations that are tolerated: `rows` (a count) or `rate` (a share)."),
  on_empty: z
    .enum(["fail", "pass"])
    .default("fail")
    .describe("What zero tested rows mean; `pass` needs `why`."),
  on_null: z.enum(["violation", "ignore"]).optional().describe("What a null value or a null result means."),
  sample: sampleSchema.optional().describe("Example rows in the evidence; none by default."),
  why: sentence.optional().describe("Why this holds, for the approver."),
  owner: sentence.optional().describe("Who answers for this assertion."),
});
export type AssertionKeys = z.infer<typeof assertionKeysSchema>;

/** An assertion as the schema gives it: the common keys with their defaults, and the keys of its check. */
export type Assertion = AssertionKeys & Readonly<Record<string, unknown>>;

/** What this file has to know of a check (audits/index.ts: CHECKS). */
export interface CheckEntry {
  readonly clauses: readonly Clause[];
  readonly schema: z.ZodType;
}
export type CheckRegistry = Readonly<Record<string, CheckEntry>>;

export interface ParsedAssertion {
  /** Null where a finding is an error. */
  readonly assertion: Assertion | null;
  readonly findings: readonly Finding[];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Parses one assertion. A key that the check declares itself wins over a common key of the same name.
 * Unknown check, check of another clause, unknown keys and bad values are all reported at once.
 */
export function parseAssertion(
  clause: Clause,
  value: unknown,
  registry: CheckRegistry,
  notBuilt: ReadonlySet<string>,
  prefix: readonly Segment[],
): ParsedAssertion {
  if (!isRecord(value)) {
    return {
      assertion: null,
      findings: [
        errorAt(prefix, "bad-value", "an assertion is a block of keys, such as {check: row_count, min: 1}"),
      ],
    };
  }
  const name = value["check"];
  if (typeof name !== "string") {
    return {
      assertion: null,
      findings: [
        errorAt(
          [...prefix, ...(name === undefined ? [] : ["check"])],
          "missing-key",
          "an assertion names its check: `check: …`",
        ),
      ],
    };
  }
  const entry = Object.hasOwn(registry, name) ? registry[name] : undefined;
  const ownKeys = entry === undefined ? [] : knownKeys(entry.schema, []);
  const common: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  const findings: Finding[] = [];
  const commonKeys = Object.keys(assertionKeysSchema.shape);
  for (const [key, item] of Object.entries(value)) {
    if (key !== "check" && ownKeys.includes(key)) own[key] = item;
    else if (commonKeys.includes(key)) common[key] = item;
    else if (entry !== undefined)
      findings.push(unknownKey(prefix, shown(name), key, [...ownKeys, ...commonKeys]));
  }
  const parsedCommon = parseWith(assertionKeysSchema, common);
  if (!parsedCommon.success)
    findings.push(
      ...describeIssues(parsedCommon.error.issues, common, assertionKeysSchema, prefix, shown(name)),
    );
  if (entry === undefined) {
    findings.push(
      notBuilt.has(name)
        ? errorAt(
            [...prefix, "check"],
            "not-yet-supported",
            `the check ${shown(name)} is part of the contract language, but this version cannot run it`,
          )
        : unknownWord([...prefix, "check"], "unknown-check", "check", name, Object.keys(registry)),
    );
    return { assertion: null, findings };
  }
  if (!entry.clauses.includes(clause)) {
    const home = entry.clauses.join(" or ");
    findings.push(
      errorAt(
        [...prefix, "check"],
        "wrong-clause",
        `the check ${shown(name)} belongs to ${home}, not to ${clause}`,
      ),
    );
  }
  const ownInput = ownKeys.includes("check") ? { check: name, ...own } : own;
  const parsedOwn = parseWith(entry.schema, ownInput);
  if (!parsedOwn.success)
    findings.push(...describeIssues(parsedOwn.error.issues, ownInput, entry.schema, prefix, shown(name)));
  if (findings.length > 0 || !parsedCommon.success || !parsedOwn.success || !isRecord(parsedOwn.data)) {
    return { assertion: null, findings };
  }
  return { assertion: { ...parsedCommon.data, ...parsedOwn.data, check: name }, findings };
}
