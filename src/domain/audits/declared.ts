// The audits that a contract declares, as a flat list: what expected_audits is derived from.
import type { Clause } from "../clauses.ts";
import type { Level } from "./check.ts";

/** One audit of a contract. */
export interface DeclaredAudit {
  /** Unique in the contract; becomes audit_name. */
  readonly name: string;
  readonly clause: Clause;
  readonly level: Level;
  readonly expectation: string;
  /** The assertion as the contract's schema gives it; its `check` says which check judges it. */
  readonly assertion: { readonly check: string } & Readonly<Record<string, unknown>>;
}
