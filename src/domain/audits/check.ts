// What a check is: the keys it takes, the sentence it expects, and the verdict it draws from a measurement.
import type { z } from "zod";
import type { Clause } from "../clauses.ts";

/** What a measurement is taken of. `merged` and `published` belong to incremental contracts and comparisons. */
export const SUBJECTS = ["raw", "staged", "merged", "published"] as const;
export type Subject = (typeof SUBJECTS)[number];

/** Only `pass` is stored as `passed = true` (contract: Verdicts). */
export type Verdict = "pass" | "fail" | "error" | "no_baseline";

/** Exact integers and decimals travel as text: nothing that was counted or summed passes through a double. */
export type ExactText = string;

/** What an engine measured for one assertion. Counts are integers as text; null means that it was not measured. */
export interface Measurement {
  /** Named values, as text; null where the database answered null (never a pass by itself). */
  readonly measured: Readonly<Record<string, ExactText | null>>;
  readonly violations: ExactText | null;
  readonly rowsTested: ExactText | null;
  readonly nullCount: ExactText | null;
  /** NaN and infinities among the tested values. */
  readonly nonFiniteCount: ExactText | null;
  /** Groups that exist on one side of a comparison only. */
  readonly groupsMissing: ExactText | null;
  /** Example cells; only where the contract's `sample` asks for them. */
  readonly sample: readonly Readonly<Record<string, string | null>>[] | null;
}

/** Structured observed value of one audit (wap_admin.audit_log.observed): the same shape for a pass and a fail. */
export interface Observed {
  readonly check: string;
  readonly of: Subject;
  readonly verdict: Verdict;
  /** One sentence for a person: what was found. */
  readonly finding: string;
  readonly measured: Readonly<Record<string, ExactText | null>>;
  readonly expected: Readonly<Record<string, ExactText | null>>;
  readonly violations: ExactText | null;
  readonly rows_tested: ExactText | null;
  readonly null_count: ExactText | null;
  readonly non_finite_count: ExactText | null;
  readonly groups_missing: ExactText | null;
  readonly baseline: { readonly run_ids: readonly string[]; readonly values: readonly ExactText[] } | null;
  readonly sample: readonly Readonly<Record<string, string | null>>[] | null;
  readonly sql_sha256: string | null;
  /** ISO 8601 instant of the clock that a freshness check used. */
  readonly clock: string | null;
  readonly ms: number;
  /** Redacted message of an audit that could not run. */
  readonly error: string | null;
}

/** Verdict and finding that a check draws from a measurement; pure. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly finding: string;
  readonly expected: Readonly<Record<string, ExactText | null>>;
}

/** One check of the vocabulary (contract: Clauses). `A` is the assertion as the zod schema gives it. */
export interface Check<A> {
  readonly name: string;
  readonly clauses: readonly Clause[];
  /** The keys of an assertion with this check, without those that every assertion may have. */
  readonly schema: z.ZodType<A>;
  /** One sentence: what must hold. Stored as expected_audits.expectation. */
  readonly expectation: (assertion: A) => string;
  readonly judge: (assertion: A, measurement: Measurement) => Judgement;
}

/** `gate` stops a publish; `advisory` is kept and shown, and never gates. */
export type Level = "gate" | "advisory";

/** One reading of one declared audit. */
export interface Reading {
  readonly name: string;
  readonly clause: Clause;
  readonly level: Level;
  readonly expectation: string;
  readonly passed: boolean;
  readonly observed: Observed;
}
