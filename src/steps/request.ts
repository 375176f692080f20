// What the steps work on: one contract's delivery, and the duties that are at hand.
import type { Contract } from "../domain/contract.ts";
import type { Provenance } from "../domain/manifest.ts";
import type { Refusal } from "../domain/outcome.ts";
import type { RunId } from "../domain/run.ts";
import type { Auditor, Builder, ControlReader, Log, Source, TransformText } from "../ports.ts";

/** One run that is to be built and audited. */
export interface AuditRequest {
  readonly runId: RunId;
  readonly contract: Contract;
  /** Path of the contract in the repository. */
  readonly contractPath: string;
  readonly transform: TransformText;
  readonly source: Source;
  readonly provenance: Provenance;
  /** Git revision of the files; part of the transform's hash. */
  readonly revision: string | null;
}

/** The duties that audit a delivery: two credentials, or one login that holds both. */
export interface AuditDuties {
  readonly builder: Builder;
  readonly auditor: Auditor;
  readonly reader: ControlReader;
  readonly log: Log;
}

/** How an audited delivery ended. `runId` is null where nothing was created. */
export type AuditResult =
  | { readonly ok: true; readonly runId: RunId }
  | { readonly ok: false; readonly runId: RunId | null; readonly refusal: Refusal };
