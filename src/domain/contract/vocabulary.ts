// Which checks the contract language knows: the registry of those this version runs, and the names of the others.
import { CHECKS, checkNamed } from "../audits/index.ts";
import type { CheckRegistry } from "./assertion.ts";

/** Checks of the language that this version cannot run yet; a contract that names one is refused, not half run. */
export const NOT_BUILT_CHECKS: ReadonlySet<string> = new Set([
  "row_count_vs_history",
  "delta_vs_published",
  "group_size",
  "group_count",
  "lookalike_keys",
  "key_churn",
  "measure_conserved",
  "none_of",
  "length",
  "category_share",
  "quantile",
  "psi",
  "control_total",
  "versus_published",
  "due_by",
  "coverage",
]);

/** Checks that a contract may name. A waived clause has its own key; nobody writes `check: not_applicable`. */
const { not_applicable: _, ...nameable } = CHECKS;
export const REGISTRY: CheckRegistry = nameable;

export type JudgedAssertion = { readonly check: string } & Readonly<Record<string, unknown>>;

/** One sentence: what an assertion expects (stored as expected_audits.expectation). @throws RangeError for an unknown check. */
export function expectationOf(assertion: JudgedAssertion): string {
  const check = checkNamed(assertion.check);
  if (check === undefined) throw new RangeError(`unknown check ${assertion.check}`);
  return check.expectation(assertion);
}
