// The seven clauses every contract answers (specification, Declare the contract); also audit_category in wap_admin.
export const CLAUSES = [
  "volume",
  "grain",
  "conservation",
  "bounds",
  "reconciliation",
  "freshness",
  "known_quirks",
] as const;
export type Clause = (typeof CLAUSES)[number];
