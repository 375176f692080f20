// The content fingerprint as one statement, for roles that may read a relation but not call wap_admin.content_fingerprint.
import { WapError } from "../../domain/errors.ts";
import type { SqlIdentifier } from "../../domain/identifier.ts";

/** Name and bucket count that a fingerprint begins with: `sorted-sha256-recordsend-v1:1:` or `…:256:` (control schema, 050). */
const FORM = /^(sorted-sha256-recordsend-v1):(1|256):[0-9a-f]{64}$/;

/**
 * A statement with one row: `rows` (bigint) and `fingerprint` (text), in the same form as an earlier fingerprint.
 * @throws WapError internal for a form that this version does not know.
 */
export function contentQuery(relation: SqlIdentifier, like: string): string {
  const form = FORM.exec(like);
  if (form === null)
    throw new WapError("internal", `unknown form of content fingerprint ${like.slice(0, 40)}`);
  const hashes = `(SELECT sha256(record_send(t.*)) AS h FROM ${relation} AS t) AS hashed`;
  const digest =
    form[2] === "1"
      ? `(SELECT encode(sha256(coalesce(string_agg(h, ''::bytea ORDER BY h), ''::bytea)), 'hex') FROM ${hashes})`
      : `(SELECT encode(sha256(string_agg(b, ''::bytea ORDER BY k)), 'hex') FROM
          (SELECT get_byte(h, 0) AS k, sha256(string_agg(h, ''::bytea ORDER BY h)) AS b FROM ${hashes} GROUP BY 1) AS bucketed)`;
  return `SELECT (SELECT count(*) FROM ${relation})::text AS rows, '${form[1]}:${form[2]}:' || ${digest} AS fingerprint`;
}
