// The transform's hash: its text, the excluded-rows text, and the revision they came from.
import { canonicalJson, sha256, type TransformHash } from "./fingerprint.ts";

/** sha256 over the two files' hashes and the git revision (specification: transform_hash). `revision` is null outside git. */
export const transformHash = (
  sql: string,
  excludedRows: string | null,
  revision: string | null,
): TransformHash =>
  sha256<"transform">(
    canonicalJson({
      sql: sha256(sql),
      excluded_rows: excludedRows === null ? null : sha256(excludedRows),
      revision,
    }),
  );
