// Names and waivers: assertion names are unique in the file, and a clause is waived only by who may, for as long as said.
import { CLAUSES } from "../../clauses.ts";
import { errorAt, type Finding, shown } from "../finding.ts";
import type { Rule } from "./rule.ts";

/** Name of the audit that every contract has: the stage has exactly the declared columns. */
export const IMPLICIT_SCHEMA_AUDIT = "schema_exact";

/** Name of the audit that every landed delivery has: what was parsed was landed or rejected. */
export const LANDING_AUDIT = "landing_ledger";

export const waiverAuditName = (clause: string): string => `${clause}_not_applicable`;

export const namesAreUnique: Rule = ({ clauses }) => {
  const first = new Map<string, string>();
  const reserved = new Set([...CLAUSES.map(waiverAuditName), LANDING_AUDIT]);
  return CLAUSES.flatMap((clause) =>
    clauses[clause].assertions.flatMap(([name, assertion]): Finding[] => {
      const at = ["clauses", clause, name];
      const other = first.get(name);
      if (other !== undefined) {
        return [
          errorAt(
            at,
            "duplicate-name",
            `${shown(name)} is an assertion of ${other} already; a name is unique in the file`,
            "key",
          ),
        ];
      }
      first.set(name, clause);
      if (assertion.check === "schema_exact" && assertion.level === "advisory") {
        return [
          errorAt(
            [...at, "level"],
            "always-gates",
            "schema_exact always gates: the stage has exactly the declared columns",
          ),
        ];
      }
      if (reserved.has(name) || (name === IMPLICIT_SCHEMA_AUDIT && assertion.check !== "schema_exact")) {
        return [
          errorAt(
            at,
            "reserved-name",
            `${shown(name)} is the name of an audit that wap adds; take another`,
            "key",
          ),
        ];
      }
      return [];
    }),
  );
};

export const waiversAreApproved: Rule = (draft, today) =>
  CLAUSES.flatMap((clause): Finding[] => {
    const waiver = draft.clauses[clause].notApplicable;
    if (waiver === null) return [];
    const at = ["clauses", clause, "not_applicable"];
    const found: Finding[] = [];
    const approvers = draft.contract_owner?.approvers;
    if (approvers !== undefined && !approvers.includes(waiver.approved_by)) {
      const who = approvers.join(", ");
      found.push(
        errorAt(
          [...at, "approved_by"],
          "waiver-approver",
          `${waiver.approved_by} is not one of contract_owner.approvers (${who})`,
        ),
      );
    }
    if (waiver.expires !== undefined && waiver.expires < today.toISOString().slice(0, 10)) {
      found.push(
        errorAt(
          [...at, "expires"],
          "waiver-expired",
          `the waiver ended on ${waiver.expires}: declare the clause, or let it be approved anew`,
        ),
      );
    }
    const kind = draft.source?.kind;
    if (clause === "conservation" && kind !== undefined && kind !== "table" && kind !== "query") {
      const message =
        "conservation can be waived for table and query sources only: a delivered file can always be counted";
      found.push(errorAt(at, "waiver-conservation", message, "key"));
    }
    return found;
  });
