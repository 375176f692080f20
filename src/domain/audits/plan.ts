// The audits that a contract declares, as a flat list in the order of its clauses: what expected_audits is derived from.
import { CLAUSES, type Clause } from "../clauses.ts";
import { assertionsOf, type ClauseBlock, isNotApplicable } from "../contract/clause-block.ts";
import { IMPLICIT_SCHEMA_AUDIT, waiverAuditName } from "../contract/lint/waivers.ts";
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
 * Every audit of a contract: each assertion, one audit for each waived clause, and the stage's exact schema under bounds
 * unless the contract declares that check itself. All seven categories are covered (specification 2: expected_audits).
 */
export function declaredAudits(contract: {
  readonly clauses: Readonly<Record<Clause, ClauseBlock>>;
}): DeclaredAudit[] {
  const declared = CLAUSES.flatMap((clause) => auditsOf(clause, contract.clauses[clause]));
  if (declared.some((one) => one.assertion.check === "schema_exact")) return declared;
  const implicit = audit(IMPLICIT_SCHEMA_AUDIT, "bounds", "gate", { check: "schema_exact" });
  const after = declared.findLastIndex((one) => one.clause === "bounds");
  return [...declared.slice(0, after + 1), implicit, ...declared.slice(after + 1)];
}
