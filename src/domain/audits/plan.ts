// The audits that a contract declares, as a flat list in the order of its clauses: what expected_audits is derived from.
import { CLAUSES, type Clause } from "../clauses.ts";
import { assertionsOf, type ClauseBlock, isNotApplicable } from "../contract/clause-block.ts";
import { IMPLICIT_SCHEMA_AUDIT, LANDING_AUDIT, waiverAuditName } from "../contract/lint/waivers.ts";
import { expectationOf, type JudgedAssertion } from "../contract/vocabulary.ts";
import type { DeclaredAudit } from "./declared.ts";

const audit = (
  name: string,
  clause: Clause,
  level: DeclaredAudit["level"],
  assertion: JudgedAssertion,
): DeclaredAudit => ({
  name,
  clause,
  level,
  expectation: expectationOf(assertion),
  assertion,
});

function auditsOf(clause: Clause, block: ClauseBlock): readonly DeclaredAudit[] {
  if (isNotApplicable(block)) {
    return [
      audit(waiverAuditName(clause), clause, "gate", { check: "not_applicable", ...block.not_applicable }),
    ];
  }
  return assertionsOf(block).map(([name, assertion]) => audit(name, clause, assertion.level, assertion));
}

/**
 * Every audit of a contract: each assertion, one audit for each waived clause, and two that no contract can do without, unless it
 * declares them itself: the stage's exact schema under bounds, and that what was parsed was landed or rejected under conservation
 * (specification 3: "record that check as an audit"). All seven categories are covered (specification 2: expected_audits).
 */
export function declaredAudits(contract: {
  readonly clauses: Readonly<Record<Clause, ClauseBlock>>;
}): DeclaredAudit[] {
  const declared = CLAUSES.flatMap((clause) => auditsOf(clause, contract.clauses[clause]));
  const withSchema = declared.some((one) => one.assertion.check === "schema_exact")
    ? declared
    : endingClause(declared, audit(IMPLICIT_SCHEMA_AUDIT, "bounds", "gate", { check: "schema_exact" }));
  if (declared.some(isLandingLedger)) return withSchema;
  return endingClause(
    withSchema,
    audit(LANDING_AUDIT, "conservation", "gate", {
      check: "equation",
      left: "parsed",
      right: ["landed", "rejected"],
    }),
  );
}

const endingClause = (declared: readonly DeclaredAudit[], added: DeclaredAudit): DeclaredAudit[] => {
  const after = declared.findLastIndex((one) => one.clause === added.clause);
  return [...declared.slice(0, after + 1), added, ...declared.slice(after + 1)];
};

function isLandingLedger({ assertion, level }: DeclaredAudit): boolean {
  const { check, left, right } = assertion;
  if (check !== "equation" || level !== "gate" || left !== "parsed" || !Array.isArray(right)) return false;
  return right.length === 2 && right.includes("landed") && right.includes("rejected");
}
