// One contract of a pull request, as the evidence comment shows it.
import type { Reading } from "../domain/audits/check.ts";
import type { RunRecord } from "../domain/manifest.ts";
import type { Refusal } from "../domain/outcome.ts";

/** One condition of a decision, as domain/approval.ts says it. */
export interface ConditionText {
  readonly name: string;
  readonly verdict: "yes" | "no" | "unknown";
  readonly sentence: string;
}

/** One contract of the pull request. */
export interface ContractView {
  readonly run: RunRecord;
  /** Runs of the same contract here, newest first, this one included. */
  readonly history: readonly RunRecord[];
  /** Why this run cannot be published now; null where nothing stands in the way. */
  readonly blocked: Refusal | null;
  /** The conditions behind `blocked`, and when they were looked at. */
  readonly checked?: { readonly at: string; readonly conditions: readonly ConditionText[] };
  /** Handles of who may approve, as policy names them. */
  readonly whoMay: readonly string[];
  /** The pull request's author; null where policy lets authors approve. */
  readonly author: string | null;
  /** ISO instant until which the run can be approved. */
  readonly validUntil: string;
  /** The contract's line of an audit; null where it has none. */
  readonly lineOf: (reading: Reading) => number | null;
  readonly links: {
    readonly report: string | null;
    readonly evidence?: string | null;
    readonly workflowRun: string | null;
  };
}

/** A contract that no run could be made of: it does not parse, or preflight refused it. */
export interface ContractRefused {
  readonly contractId: string;
  readonly path: string;
  readonly refusal: Refusal;
}
