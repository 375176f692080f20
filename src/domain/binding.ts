// What an approval binds: every hash of the manifest, by name (specification 6 and 7; safety A2).
import type { RunRecord } from "./manifest.ts";

/** The names that the database compares (control schema, `bindings`); null while the run has no audited stage. */
export function bindingOf(run: RunRecord): Readonly<Record<string, string>> | null {
  const { stageSchemaFingerprint, stageRowCount, stageFingerprint } = run;
  if (stageSchemaFingerprint === null || stageRowCount === null || stageFingerprint === null) return null;
  return {
    source_fingerprint: run.sourceFingerprint,
    contract_hash: run.contractHash,
    transform_hash: run.transformHash,
    preflight_fingerprint: run.preflightFingerprint,
    stage_schema_fingerprint: stageSchemaFingerprint,
    stage_row_count: stageRowCount,
    stage_fingerprint: stageFingerprint,
  };
}
