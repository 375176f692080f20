// What a step may ask for. Engines, sources and entry points implement or supply these; steps know nothing else.
import type { Reading } from "./domain/audits/check.ts";
import type { DeclaredAudit } from "./domain/audits/declared.ts";
import type { Contract } from "./domain/contract.ts";
import type { RunNames } from "./domain/identifier.ts";
import type {
  Approval,
  Changes,
  Landing,
  PreflightReport,
  Publication,
  RunManifest,
  RunRecord,
  VerificationCheck,
} from "./domain/manifest.ts";
import type { Outcome, ReasonCode, Refusal } from "./domain/outcome.ts";
import type { RunId, RunStatus } from "./domain/run.ts";

/** The steps that a person sees, in the order of the story. */
export const STEP_NAMES = [
  "preflight",
  "land",
  "build",
  "audit",
  "gate",
  "approve",
  "publish",
  "verify",
  "rollback",
] as const;
export type StepName = (typeof STEP_NAMES)[number];

export interface Progress {
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly records: number;
}

/** Where steps say what they do. Sentences hold counts and names, never cell values or secrets. */
export interface Log {
  readonly started: (step: StepName) => void;
  readonly progress: (step: StepName, progress: Progress) => void;
  /** `facts` are short `key=value` pairs for a log line; `sentence` is for a person. */
  readonly finished: (
    step: StepName,
    ok: boolean,
    sentence: string,
    facts: Readonly<Record<string, string>>,
  ) => void;
  readonly note: (sentence: string) => void;
}

/** A delivered file, identified before anything is created and landed once. */
export interface Source {
  /** As the contract names it; never with credentials. */
  readonly ref: string;
  /** Size and sha256 of the delivered bytes; a full read. @throws WapError source_unreadable */
  readonly identify: () => Promise<{ readonly bytes: bigint; readonly sha256: string }>;
  /** Reads the header and checks it against the dialect. A refusal is `landing_failed` with `file:line`. */
  readonly open: () => Promise<Outcome<RecordReader>>;
}

/** One record: its number in the file (from 1, header not counted) and its cells; null where the contract's null rules say so. */
export interface SourceRecord {
  readonly row: number;
  readonly cells: readonly (string | null)[];
}

export interface RejectedRecord {
  readonly row: number;
  /** Line of the plain text where the record begins, from 1. */
  readonly line: number;
  /** Kebab-case reason, for example `ragged-row`. */
  readonly reason: string;
  readonly message: string;
  /** The record as delivered, cut to 8 KiB. */
  readonly text: string;
}

export interface RecordBatch {
  readonly records: readonly SourceRecord[];
  readonly rejects: readonly RejectedRecord[];
  /** Bytes of the delivered file read so far. */
  readonly doneBytes: number;
}

export interface RecordReader {
  /** Column names, unique, each a valid identifier. */
  readonly header: readonly string[];
  /** Parser settings as recorded in the manifest. */
  readonly parser: Readonly<Record<string, string>>;
  /**
   * The records in file order, in constant memory; back-pressure by the consumer's pace. Ends with a LandingFault where the
   * file breaks the dialect beyond `rejects`.
   */
  readonly batches: () => AsyncIterable<RecordBatch>;
  /** After `batches` ended: totals of the whole file. @throws WapError source_changed when sha256 differs from identify() */
  readonly totals: () => ReaderTotals;
}

export interface ReaderTotals {
  readonly bytes: bigint;
  readonly sha256: string;
  readonly plainBytes: bigint;
  readonly parsed: bigint;
  readonly rejected: bigint;
  /** Blank lines that the contract lets pass; they are no records. */
  readonly skipped: bigint;
}

/** What an engine can do; a run refuses what its contract asks for and the engine lacks. */
export interface Capabilities {
  readonly strategies: readonly ("view" | "table" | "partition")[];
  readonly incremental: boolean;
  /** False where a published result would be weaker than the specification asks (DuckDB). */
  readonly canAuthorizePublish: boolean;
}

export interface Preflight {
  readonly report: PreflightReport;
  readonly preflightFingerprint: string;
  readonly controlFingerprint: string;
  readonly plan: RunManifest["plan"];
  readonly baseRun: RunId | null;
}

/** The builder's duty: everything up to a sealed stage. */
export interface Builder {
  readonly capabilities: Capabilities;
  /** Read-only: identity, source, target, owner, row count, inventory, strategy (specification 1). */
  readonly preflight: (
    contract: Contract,
    source: { ref: string; bytes: bigint },
  ) => Promise<Outcome<Preflight>>;
  /** The contract's SQL files: one SELECT each, only declared inputs, no volatile function (specification 4, U3). */
  readonly checkTransform: (contract: Contract, sql: TransformText) => Promise<Outcome<void>>;
  readonly startRun: (manifest: RunManifest, audits: readonly DeclaredAudit[]) => Promise<Outcome<void>>;
  readonly land: (
    runId: RunId,
    names: RunNames,
    reader: RecordReader,
    /** Size of the delivered file, for progress. */
    bytes: bigint,
    onProgress: (progress: Progress) => void,
  ) => Promise<Outcome<Landing>>;
  readonly build: (
    runId: RunId,
    names: RunNames,
    contract: Contract,
    sql: TransformText,
  ) => Promise<Outcome<BuildResult>>;
  readonly fail: (runId: RunId, reason: Refusal) => Promise<void>;
  /** Cancels the running statement in the server (Ctrl-C). */
  readonly cancel: () => Promise<void>;
}

export interface TransformText {
  readonly path: string;
  readonly sql: string;
  readonly excluded: { readonly path: string; readonly sql: string } | null;
}

export interface BuildResult {
  readonly stageRows: string;
  /** Records left out, by declared reason. */
  readonly excluded: Readonly<Record<string, string>>;
}

/** The auditor's duty: measure the sealed stage and record one reading per expected audit (specification 5 and 6). */
export interface Auditor {
  readonly measure: (
    runId: RunId,
    names: RunNames,
    contract: Contract,
    audits: readonly DeclaredAudit[],
  ) => Promise<readonly Reading[]>;
  readonly changes: (runId: RunId, contract: Contract) => Promise<Changes | null>;
  readonly record: (runId: RunId, readings: readonly Reading[], changes: Changes | null) => Promise<void>;
  /** Fingerprints the stage and runs `assert_gate(run, false)` in the database; the status it left. */
  readonly gate: (runId: RunId) => Promise<Outcome<RunStatus>>;
}

export interface Approver {
  readonly approve: (runId: RunId, approval: ApprovalRequest) => Promise<Outcome<Approval>>;
}

export interface ApprovalRequest {
  readonly kind: "publish" | "rollback";
  readonly by: string;
  readonly ref: string;
  /** The hashes that were shown; the database compares them with the run's. */
  readonly bound: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The publisher's duty: promote, verify, roll back (specification 7 and 8). */
export interface Publisher {
  readonly publish: (runId: RunId) => Promise<Outcome<Publication>>;
  readonly rollback: (runId: RunId) => Promise<Outcome<Publication>>;
  /** In a new transaction, under the consumer role. Records what it saw. */
  readonly verify: (runId: RunId) => Promise<readonly VerificationCheck[]>;
  readonly fail: (runId: RunId, reason: Refusal) => Promise<void>;
  readonly cancel: () => Promise<void>;
}

export interface RunFilter {
  readonly contractId?: string;
  readonly target?: string;
  readonly status?: RunStatus;
  readonly repository?: string;
  readonly pullRequest?: number;
  readonly limit?: number;
}

/** Reading the control tables; any duty may. */
export interface ControlReader {
  readonly run: (runId: RunId) => Promise<RunRecord | null>;
  /** Newest first. */
  readonly runs: (filter: RunFilter) => Promise<readonly RunRecord[]>;
}

export type { ReasonCode };
