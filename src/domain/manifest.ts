// What the control tables hold of a run: the immutable manifest and everything recorded since. Evidence is printed from this.
import type { Reading } from "./audits/check.ts";
import type { QualifiedName } from "./identifier.ts";
import type { ReasonCode } from "./outcome.ts";
import type { RunId, RunStatus } from "./run.ts";

/** Where a run came from; decides where its evidence is shown and which commits an approval binds. */
export type Provenance =
  | { readonly kind: "cli"; readonly initiator: string; readonly revision: string | null }
  | {
      readonly kind: "github";
      /** `owner/name` */
      readonly repository: string;
      readonly repositoryId: string;
      readonly pullRequest: number | null;
      readonly headSha: string;
      readonly baseRef: string;
      readonly baseSha: string;
      readonly initiator: { readonly id: string; readonly login: string };
      /** URL of the workflow run. */
      readonly workflowRun: string | null;
      /** Git blob id of every file of the repository that the run read, by path. */
      readonly blobs: Readonly<Record<string, string>>;
    };

/** What preflight saw, read-only, before anything was created (specification 1). */
export interface PreflightReport {
  readonly database: {
    readonly name: string;
    readonly systemIdentifier: string | null;
    readonly address: string;
    readonly engine: "postgres";
    /** For example `17.10`. */
    readonly version: string;
    /** server_version_num, for example 170010. */
    readonly versionNumber: number;
    readonly login: string;
    readonly tls: boolean;
  };
  readonly source: { readonly ref: string; readonly bytes: string };
  readonly target: {
    readonly name: string;
    readonly exists: boolean;
    readonly oid: string | null;
    /** `view`, `table`, `materialized view`, …; null where the target does not exist. */
    readonly kind: string | null;
    readonly owner: string | null;
    readonly rowCount: string | null;
    /** Run id of the version that readers see, where wap published it. */
    readonly currentRun: RunId | null;
    /** Number of inventory items that the preflight fingerprint covers. */
    readonly properties: number;
    /** Views, functions and other objects that depend on the target. */
    readonly dependents: readonly string[];
  };
}

/** The publication plan (specification 7, shown before the transaction opens). Durations in milliseconds. */
export interface PublicationPlan {
  readonly strategy: "view";
  /** Why the strategy is safe here; one or two sentences. */
  readonly reason: string;
  readonly firstVersion: boolean;
  readonly steps: readonly string[];
  readonly locks: readonly string[];
  /** Name of the relation that a rollback goes back to; null for a first version. */
  readonly rollbackName: string | null;
  readonly retention: { readonly versions: number; readonly age: string; readonly observeFor: string };
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly consumerRole: string;
}

/** Everything known when a run starts; written once. */
export interface RunManifest {
  readonly runId: RunId;
  readonly target: QualifiedName;
  readonly sourceRef: string;
  readonly sourceFingerprint: string;
  /** Canonical JSON text of the contract; contractHash is its sha256. */
  readonly contract: string;
  readonly contractHash: string;
  readonly contractPath: string;
  readonly transformSql: string;
  readonly excludedRowsSql: string | null;
  readonly transformHash: string;
  readonly provenance: Provenance;
  readonly preflight: PreflightReport;
  readonly preflightFingerprint: string;
  readonly controlFingerprint: string;
  readonly plan: PublicationPlan;
}

/** What was landed (specification 3). Counts and sizes are exact integers as text. */
export interface Landing {
  readonly rawName: string;
  readonly rejectsName: string;
  /** Size and sha256 of the delivered bytes, before decompression. */
  readonly bytes: string;
  readonly sha256: string;
  /** Size after decompression. */
  readonly plainBytes: string;
  readonly parsed: string;
  readonly landed: string;
  readonly rejected: string;
  readonly header: readonly string[];
  readonly parser: Readonly<Record<string, string>>;
  /** Rejected records by reason. */
  readonly rejectReasons: Readonly<Record<string, string>>;
}

export interface Approval {
  readonly kind: "publish" | "rollback";
  /** The approving identity, for example `github:lena`. */
  readonly by: string;
  /** Durable reference: URL of the comment, merge or ticket. */
  readonly ref: string;
  readonly at: string;
  /** The database login that recorded it. */
  readonly login: string;
  /** Every hash that was shown to the approver. */
  readonly bound: Readonly<Record<string, string>>;
  /** Facts behind the decision: authority, comment id and body hash, policy hash, … */
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface Publication {
  readonly kind: "publish" | "rollback";
  readonly at: string;
  readonly login: string;
  readonly backing: string;
  readonly previousBacking: string | null;
  readonly previousRun: RunId | null;
  /** How long the exclusive step held locks that readers feel, and how many tries it took. */
  readonly lockHeldMs: number;
  readonly tries: number;
}

export interface VerificationCheck {
  readonly name: string;
  readonly passed: boolean;
  readonly observed: string;
}

export interface Transition {
  readonly from: RunStatus | null;
  readonly to: RunStatus;
  readonly at: string;
  readonly login: string;
  readonly reason: ReasonCode | null;
  readonly detail: string | null;
}

/** One run as the control tables tell it. Timestamps are ISO 8601 in UTC. */
export interface RunRecord {
  readonly runId: RunId;
  readonly status: RunStatus;
  readonly createdAt: string;
  readonly auditedAt: string | null;
  readonly publishedAt: string | null;
  readonly targetName: string;
  readonly stageName: string;
  readonly sourceRef: string;
  readonly sourceFingerprint: string;
  readonly contractHash: string;
  readonly transformHash: string;
  readonly preflightFingerprint: string;
  readonly controlFingerprint: string;
  readonly stageRowCount: string | null;
  readonly stageFingerprint: string | null;
  readonly stageSchemaFingerprint: string | null;
  readonly rollbackName: string | null;
  /** Canonical JSON text. */
  readonly contract: string;
  readonly contractPath: string;
  readonly provenance: Provenance;
  readonly preflight: PreflightReport;
  readonly plan: PublicationPlan;
  readonly builtBy: string;
  /** The published run this one was built on; null for a first version. */
  readonly baseRun: RunId | null;
  readonly landing: Landing | null;
  /** Gating and advisory readings, in the order of the contract's clauses. */
  readonly readings: readonly Reading[];
  /** Names of gating audits that are expected; a name without a reading is missing. */
  readonly expected: readonly string[];
  readonly excluded: Readonly<Record<string, string>>;
  readonly approvals: readonly Approval[];
  readonly publications: readonly Publication[];
  readonly verification: readonly VerificationCheck[];
  readonly transitions: readonly Transition[];
  /** True while readers of the target see this run's version. */
  readonly current: boolean;
  /** Rows, newest values and so on of the published version at preflight, for "what changes"; see Changes. */
  readonly changes: Changes | null;
}

/** Candidate against published, by the contract's key (evidence: changes). Counts are exact integers as text. */
export interface Changes {
  readonly key: readonly string[];
  readonly added: string;
  readonly removed: string;
  readonly changed: string;
  readonly unchanged: string;
  /** Changed values per column, over keys on both sides; only columns that differ. */
  readonly columns: Readonly<Record<string, string>>;
}
