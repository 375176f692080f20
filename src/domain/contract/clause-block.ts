// One clause of a contract: named assertions, or the one statement that it is not applicable.
import { z } from "zod";
import { CLAUSES, type Clause } from "../clauses.ts";
import { ASSERTION_NAME, type Assertion, parseAssertion } from "./assertion.ts";
import { describeIssues, errorAt, type Finding, parseWith, type Segment, shown } from "./finding.ts";
import { handle, sentence } from "./scalars.ts";
import { NOT_BUILT_CHECKS, REGISTRY } from "./vocabulary.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const calendarDay = z
  .string("write a day as YYYY-MM-DD")
  .refine(
    (text) => DAY.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text,
    "write a day of the calendar as YYYY-MM-DD",
  );

export const notApplicableSchema = z.strictObject({
  reason: sentence.describe("Why the clause does not apply; it stands in the evidence of every run."),
  approved_by: handle.describe("One of contract_owner.approvers."),
  expires: calendarDay.optional().describe("Last day (UTC) on which the waiver holds."),
  approved_in: sentence.optional().describe("Where it was approved: a pull request, a ticket."),
});
export type NotApplicable = z.infer<typeof notApplicableSchema>;

/** What a clause holds, after parsing. */
export type ClauseBlock =
  | { readonly not_applicable: NotApplicable }
  | { readonly [name: string]: Assertion; readonly not_applicable?: never };

export const isNotApplicable = (block: ClauseBlock): block is { readonly not_applicable: NotApplicable } =>
  Object.hasOwn(block, "not_applicable");

/** The assertions of a clause in the order of the file; none where it is not applicable. */
export const assertionsOf = (
  block: ClauseBlock,
): readonly (readonly [name: string, assertion: Assertion])[] =>
  isNotApplicable(block) ? [] : Object.entries(block);

export interface ParsedClause {
  /** Assertions that parse; those that do not are left out. */
  readonly assertions: readonly (readonly [name: string, assertion: Assertion])[];
  readonly notApplicable: NotApplicable | null;
  readonly findings: readonly Finding[];
}

/** Parses one clause; every problem of every assertion. `prefix` is the clause's path. */
export function parseClause(clause: Clause, value: unknown, prefix: readonly Segment[]): ParsedClause {
  const nothing = { assertions: [], notApplicable: null };
  if (value === undefined) {
    const message = `the clause ${clause} is missing: give it an assertion, or {not_applicable: {reason, approved_by}}`;
    return { ...nothing, findings: [errorAt(prefix, "missing-clause", message)] };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {
      ...nothing,
      findings: [errorAt(prefix, "bad-value", "a clause is a block of named assertions")],
    };
  }
  const findings: Finding[] = [];
  const assertions: [string, Assertion][] = [];
  let notApplicable: NotApplicable | null = null;
  let gates = 0;
  let broken = 0;
  for (const [name, item] of Object.entries(value)) {
    const path = [...prefix, name];
    if (name === "not_applicable") {
      const parsed = parseWith(notApplicableSchema, item);
      if (parsed.success) notApplicable = parsed.data;
      else
        findings.push(
          ...describeIssues(parsed.error.issues, item, notApplicableSchema, path, '"not_applicable"'),
        );
      continue;
    }
    if (!ASSERTION_NAME.test(name)) {
      const message = `the name ${shown(name)} is not a lower-case letter and up to 59 lower-case letters, digits and _`;
      findings.push(errorAt(path, "bad-assertion-name", message, "key"));
    }
    const parsed = parseAssertion(clause, item, REGISTRY, NOT_BUILT_CHECKS, path);
    findings.push(...parsed.findings);
    if (parsed.assertion === null) broken += 1;
    else {
      assertions.push([name, parsed.assertion]);
      if (parsed.assertion.level === "gate") gates += 1;
    }
  }
  const names = Object.keys(value).filter((name) => name !== "not_applicable");
  if (Object.hasOwn(value, "not_applicable")) {
    if (names.length > 0) {
      const message = `${clause} is not applicable, so it cannot hold assertions as well; remove one or the other`;
      findings.push(errorAt([...prefix, "not_applicable"], "clause-both", message, "key"));
    }
  } else if (names.length === 0) {
    findings.push(
      errorAt(prefix, "empty-clause", `${clause} holds no assertion, so nothing would be checked`),
    );
  } else if (gates === 0 && broken === 0) {
    findings.push(
      errorAt(prefix, "advisory-only", `${clause} holds only advisory assertions; at least one has to gate`),
    );
  }
  return { assertions, notApplicable, findings };
}

const clauseSchema = (clause: Clause) =>
  z
    .unknown()
    .transform((value, context): ClauseBlock => {
      const parsed = parseClause(clause, value, []);
      for (const finding of parsed.findings) {
        context.addIssue({
          code: "custom",
          message: finding.message,
          path: [...finding.path],
          params: { code: finding.code },
        });
      }
      if (parsed.findings.length > 0) return z.NEVER;
      if (parsed.notApplicable !== null) return { not_applicable: parsed.notApplicable };
      return Object.fromEntries(parsed.assertions);
    })
    .meta({ clause });

/** The seven clauses; all are required. */
export const clausesSchema = z.strictObject({
  volume: clauseSchema("volume"),
  grain: clauseSchema("grain"),
  conservation: clauseSchema("conservation"),
  bounds: clauseSchema("bounds"),
  reconciliation: clauseSchema("reconciliation"),
  freshness: clauseSchema("freshness"),
  known_quirks: clauseSchema("known_quirks"),
});
export type Clauses = Readonly<Record<Clause, ClauseBlock>>;

/** Parses all clauses; a missing or unknown clause is a finding. `value` is the `clauses` block. */
export function parseClauses(
  value: unknown,
  prefix: readonly Segment[],
): Readonly<Record<Clause, ParsedClause>> {
  const block = typeof value === "object" && value !== null ? value : {};
  const parse = (clause: Clause): ParsedClause =>
    parseClause(clause, Object.hasOwn(block, clause) ? Reflect.get(block, clause) : undefined, [
      ...prefix,
      clause,
    ]);
  const entries = CLAUSES.map((clause) => [clause, parse(clause)] as const);
  return Object.fromEntries(entries) as Record<Clause, ParsedClause>;
}
