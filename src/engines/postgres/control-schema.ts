// The control schema: created once, verified in full before and after, fingerprinted (specification 2; safety P3).
import { WapError } from "../../domain/errors.ts";
import { canonicalJson, type Fingerprint, sha256 } from "../../domain/fingerprint.ts";
import { done, type Outcome, refuse } from "../../domain/outcome.ts";
import { CONTROL_SCHEMA as expected } from "../../generated/control-schema.ts";
import { SQL } from "../../generated/sql.ts";
import type { Session } from "./connection.ts";
import { inTransaction } from "./connection.ts";
import { asFault } from "./sql-errors.ts";

export type ControlFingerprint = Fingerprint<"control-schema">;

/** Property of the control schema → its value, both as text. */
export type ControlDump = Readonly<Record<string, string>>;

/** The files that make the control schema, in order. The first and the last run as the administrator, the others as wap_owner. */
const ROLES = "engines/postgres/control/010-roles.sql";
const OWNED = [
  "engines/postgres/control/020-schemas.sql",
  "engines/postgres/control/030-tables.sql",
  "engines/postgres/control/040-guards.sql",
  "engines/postgres/control/050-inventory.sql",
  "engines/postgres/control/060-gate.sql",
  "engines/postgres/control/070-build-doors.sql",
  "engines/postgres/control/075-stage-doors.sql",
  "engines/postgres/control/080-audit-doors.sql",
  "engines/postgres/control/090-approve-door.sql",
  "engines/postgres/control/100-publish-doors.sql",
  "engines/postgres/control/110-grants.sql",
] as const;
const RELEASE = "engines/postgres/control/120-release.sql";

/** The whole setup as one script, for `wap setup --print` and for `setUpControlSchema`. */
export const controlSchemaScript = (): string =>
  [
    "SET search_path = pg_catalog, pg_temp;",
    SQL[ROLES],
    "SET ROLE wap_owner;",
    ...OWNED.map((file) => SQL[file]),
    "RESET ROLE;",
    SQL[RELEASE],
  ].join("\n");

/** What a database administrator grants afterwards; printed, never run. */
export const DUTY_GRANTS = [
  "-- One login a duty; building and auditing may share one. Replace the names on the right by your logins.",
  "GRANT wap_builder, wap_auditor TO your_build_login;",
  "GRANT wap_approver TO your_approve_login;",
  "GRANT wap_publisher TO your_publish_login;",
  "-- For each schema that wap publishes into, and each consumer role that a contract names:",
  "GRANT USAGE, CREATE ON SCHEMA your_schema TO wap_target;",
  "GRANT USAGE ON SCHEMA your_schema TO your_consumer_role, wap_builder, wap_auditor;",
  "GRANT your_consumer_role TO wap_publisher;",
].join("\n");

/** The control schema as it is: every property that could make it another one. Needs no privilege beyond reading the catalogs. */
export async function dumpControlSchema(session: Session): Promise<ControlDump> {
  const rows = await session.query<{ property: string; value: string }>(
    SQL["engines/postgres/control/control-dump.sql"],
  );
  // Several members of one role share a property: keep them all.
  const dump: Record<string, string> = {};
  for (const { property, value } of rows.toSorted((a, b) =>
    a.property + a.value < b.property + b.value ? -1 : 1,
  )) {
    const before = dump[property];
    dump[property] = before === undefined ? value : `${before}, ${value}`;
  }
  return dump;
}

/** What differs between two dumps, as sentences; empty where they agree. Pure. */
export function compareControlSchema(wanted: ControlDump, found: ControlDump): readonly string[] {
  const differences: string[] = [];
  for (const property of [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort()) {
    const want = wanted[property];
    const have = found[property];
    if (want === have) continue;
    if (have === undefined) differences.push(`${property} is missing`);
    else if (want === undefined) differences.push(`${property} was not made by wap (${have})`);
    else differences.push(`${property} is "${have}", it has to be "${want}"`);
  }
  return differences;
}

/**
 * Verifies the control schema in full, fail closed.
 * @returns its fingerprint, or a refusal: `not_set_up` where there is none, `control_schema_mismatch` with the first differences.
 */
export async function verifyControlSchema(session: Session): Promise<Outcome<ControlFingerprint>> {
  const found = await dumpControlSchema(session);
  if (!Object.hasOwn(found, "schema wap_admin owner"))
    return refuse("not_set_up", "this database has no control schema wap_admin");
  const differences = compareControlSchema(expected, found);
  if (differences.length > 0) {
    const shown = differences.slice(0, 5).join("; ");
    const more = differences.length > 5 ? `; and ${differences.length - 5} more` : "";
    return refuse(
      "control_schema_mismatch",
      `the control schema differs from what wap made: ${shown}${more}`,
    );
  }
  return done(sha256<"control-schema">(canonicalJson(found)));
}

export interface SetupResult {
  readonly created: boolean;
  readonly fingerprint: ControlFingerprint;
  readonly properties: number;
}

/** Verifies what stands and says how much of it there is; changes nothing. */
export async function verifySetup(session: Session): Promise<Outcome<SetupResult>> {
  const verified = await verifyControlSchema(session);
  return verified.ok
    ? done({ created: false, fingerprint: verified.value, properties: Object.keys(expected).length })
    : verified;
}

/**
 * Creates the control schema, or verifies the one that stands; never changes one. All in one transaction.
 * @throws WapError where the login may not create it.
 */
export async function setUpControlSchema(session: Session): Promise<Outcome<SetupResult>> {
  const before = await verifyControlSchema(session);
  const properties = Object.keys(expected).length;
  if (before.ok) return done({ created: false, fingerprint: before.value, properties });
  if (before.refusal.code !== "not_set_up") return before;
  try {
    return await inTransaction(session, "BEGIN", async () => {
      await session.client.query(controlSchemaScript());
      const after = await verifyControlSchema(session);
      // The transaction must not commit a schema that does not verify.
      if (!after.ok) throw new WapError("control_schema_mismatch", after.refusal.message);
      return done({ created: true, fingerprint: after.value, properties });
    });
  } catch (error) {
    throw asFault(error, "creating the control schema");
  }
}
