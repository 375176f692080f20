// The control schema is verified in full, before and after it is made; any difference stops (specification 2; safety P3).
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withSession } from "../../../../src/engines/postgres/connection.ts";
import { setUpControlSchema, verifyControlSchema } from "../../../../src/engines/postgres/control-schema.ts";
import { doorRun, publishThroughDoor } from "../../../harness/door-run.ts";
import { freshDatabase, type TestDatabase } from "../../../harness/postgres.ts";
import { wapDatabase } from "../../../harness/wap-database.ts";

const withAdmin = <T>(database: TestDatabase, use: Parameters<typeof withSession<T>>[1]): Promise<T> =>
  withSession({ variable: "TEST_ADMIN_URL", url: database.adminUrl }, use);

/** Roles belong to the server: two setups at once may meet there, and the later one starts again. */
async function setUp(database: TestDatabase): Promise<Awaited<ReturnType<typeof setUpControlSchema>>> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await withAdmin(database, setUpControlSchema);
    } catch (error) {
      if (tried === 8) throw error;
    }
  }
}

describe("a fresh setup", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(() => database.end());

  test("is exactly the golden one, is found the second time, and has one fingerprint", async () => {
    expect(await withAdmin(database, verifyControlSchema)).toMatchObject({
      ok: false,
      refusal: { code: "not_set_up" },
    });
    const made = await setUp(database);
    expect(made).toMatchObject({ ok: true, value: { created: true } });
    const again = await setUp(database);
    expect(again).toMatchObject({ ok: true, value: { created: false } });
    expect(made.ok && again.ok && made.value.fingerprint === again.value.fingerprint).toBe(true);
  });

  test("leaves a schema of that name that somebody else made as it is, and refuses", async () => {
    await database.query("CREATE SCHEMA wap_admin; CREATE TABLE wap_admin.runs (run_id uuid)");
    expect(await setUp(database)).toMatchObject({ ok: false, refusal: { code: "control_schema_mismatch" } });
    expect(
      await database.query(
        "SELECT count(*)::int AS n FROM pg_class WHERE relnamespace = 'wap_admin'::regnamespace",
      ),
    ).toEqual([{ n: 1 }]);
  });

  const changes: readonly (readonly [string, string, RegExp])[] = [
    [
      "a trigger is off",
      "ALTER TABLE wap_admin.audit_log DISABLE TRIGGER append_only",
      /trigger append_only/,
    ],
    [
      "a trigger no longer holds for replicas",
      "ALTER TABLE wap_admin.runs ENABLE TRIGGER forward_only",
      /trigger forward_only/,
    ],
    [
      "a function has another body",
      "CREATE OR REPLACE FUNCTION wap_admin.require_duty(p_duty text) RETURNS void LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS 'BEGIN END'",
      /function require_duty/,
    ],
    [
      "a door lost its search_path",
      "ALTER FUNCTION wap_admin.publish(uuid) RESET search_path",
      /function publish/,
    ],
    [
      "a door is no longer a definer",
      "ALTER FUNCTION wap_admin.publish(uuid) SECURITY INVOKER",
      /function publish/,
    ],
    [
      "a door is open to everybody",
      "GRANT EXECUTE ON FUNCTION wap_admin.approve(uuid, text, text, text, jsonb, jsonb) TO PUBLIC",
      /function approve.*PUBLIC/,
    ],
    [
      "a table may be written",
      "GRANT INSERT ON wap_admin.audit_log TO wap_builder",
      /audit_log grant wap_builder INSERT/,
    ],
    [
      "a column may be written",
      "GRANT UPDATE (status) ON wap_admin.runs TO wap_builder",
      /column status grant/,
    ],
    [
      "a table has another owner",
      "ALTER TABLE wap_admin.approvals OWNER TO postgres",
      /approvals grant postgres/,
    ],
    [
      "a check is gone",
      "ALTER TABLE wap_admin.runs DROP CONSTRAINT runs_status_check",
      /runs_status_check is missing/,
    ],
    ["a key is gone", "ALTER TABLE wap_admin.audit_log DROP CONSTRAINT audit_log_pkey", /audit_log_pkey/],
    [
      "a column may be null",
      "ALTER TABLE wap_admin.audit_log ALTER COLUMN passed DROP NOT NULL",
      /column \d+ passed/,
    ],
    [
      "a column was added",
      "ALTER TABLE wap_admin.runs ADD COLUMN note text",
      /column \d+ note was not made by wap/,
    ],
    [
      "a default changed",
      "ALTER TABLE wap_admin.runs ALTER COLUMN created_at SET DEFAULT '2000-01-01'",
      /created_at/,
    ],
    [
      "a rule was added",
      "CREATE RULE quiet AS ON INSERT TO wap_admin.failures DO INSTEAD NOTHING",
      /rule quiet/,
    ],
    ["row security is on", "ALTER TABLE wap_admin.audit_log ENABLE ROW LEVEL SECURITY", /audit_log/],
    [
      "a table was added",
      "CREATE TABLE wap_admin.more (x int)",
      /more grant wap_owner|more grant postgres|table more/,
    ],
    [
      "a schema is open",
      "GRANT CREATE ON SCHEMA wap_stage TO PUBLIC",
      /schema wap_stage grant PUBLIC CREATE/,
    ],
    [
      "new functions are open to everybody again",
      "ALTER DEFAULT PRIVILEGES FOR ROLE wap_owner GRANT EXECUTE ON FUNCTIONS TO PUBLIC",
      /default privileges/,
    ],
  ];
  test.each(changes)("is refused, with what differs, when %s", async (_, sql, difference) => {
    await setUp(database);
    await database.query(sql);
    const verified = await withAdmin(database, verifyControlSchema);
    expect(verified).toMatchObject({ ok: false, refusal: { code: "control_schema_mismatch" } });
    expect(verified.ok ? "" : verified.refusal.message).toMatch(difference);
  });
});

test("neither a preflight nor a publish goes on when the control schema differs", async () => {
  const wap = await wapDatabase();
  try {
    const run = await doorRun(wap, { target: "p3" });
    await wap.admin("GRANT INSERT ON wap_admin.audit_log TO wap_builder");
    const { postgresPublisher } = await import("../../../../src/engines/postgres/publisher.ts");
    const refused = await withSession(
      { variable: "TEST_PUBLISH_URL", url: wap.url(wap.logins.publisher) },
      (session) => postgresPublisher(session, (again) => again(session)).publish(run.runId),
    );
    expect(refused).toMatchObject({ ok: false, refusal: { code: "control_schema_mismatch" } });
    await wap.admin("REVOKE INSERT ON wap_admin.audit_log FROM wap_builder");
    await publishThroughDoor(wap, run.runId);
  } finally {
    await wap.end();
  }
});
