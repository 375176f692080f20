// What the database itself refuses, whoever asks: safety A1, A2, E1, E2, E3 as statements that must fail.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newRunId, STATUSES, TRANSITIONS } from "../../../../src/domain/run.ts";
import {
  approveThroughDoor,
  audits,
  doorRun,
  manifestOf,
  publishThroughDoor,
  statusOf,
} from "../../../harness/door-run.ts";
import { stateOf, type WapDatabase, wapDatabase } from "../../../harness/wap-database.ts";

let wap: WapDatabase;
beforeAll(async () => {
  wap = await wapDatabase();
});
afterAll(async () => {
  await wap.end();
});

const DENIED = "42501";

describe("a builder (A1)", () => {
  test("cannot write a control table, whatever the statement", async () => {
    const { runId } = await doorRun(wap, { target: "b1", until: "audited" });
    const { builder } = wap.logins;
    for (const sql of [
      `UPDATE wap_admin.runs SET status = 'approved' WHERE run_id = '${runId}'`,
      `INSERT INTO wap_admin.audit_log (run_id, audit_name, passed, observed) VALUES ('${runId}', 'volume_holds', true, '{}')`,
      `UPDATE wap_admin.audit_log SET passed = true WHERE run_id = '${runId}'`,
      "DELETE FROM wap_admin.audit_log",
      "TRUNCATE wap_admin.transitions",
      `INSERT INTO wap_admin.approvals VALUES ('${runId}', 'publish', 'me', 'me', '{}', '{}', 'me')`,
    ]) {
      expect(await stateOf(wap.as(builder, sql)), sql).toBe(DENIED);
    }
  });

  test("cannot approve, publish, or become an owner", async () => {
    const { runId } = await doorRun(wap, { target: "b2", until: "audited" });
    const { builder } = wap.logins;
    expect(await stateOf(approveThroughDoor(wap, builder, runId))).toBe(DENIED);
    expect(await stateOf(publishThroughDoor(wap, runId, "publish", builder))).toBe(DENIED);
    for (const role of ["wap_owner", "wap_vault", "wap_target"])
      expect(await stateOf(wap.as(builder, `SET ROLE ${role}`))).toBe(DENIED);
  });

  test("cannot write, alter, extend or grant a sealed stage, nor truncate the raw snapshot", async () => {
    const { stage, raw } = await doorRun(wap, { target: "b3", until: "built" });
    const { builder } = wap.logins;
    // Without a grant option the server grants nothing and only warns: the INSERT below shows it.
    await wap.as(builder, `GRANT INSERT ON ${stage} TO ${builder}`);
    for (const sql of [
      `INSERT INTO ${stage} VALUES (9, 9)`,
      `UPDATE ${stage} SET v = 0`,
      `DELETE FROM ${stage}`,
      `TRUNCATE ${stage}`,
      `ALTER TABLE ${stage} DISABLE TRIGGER sealed`,
      `CREATE TABLE wap_stage.child () INHERITS (${stage})`,
      `DELETE FROM ${raw}`,
      `INSERT INTO ${raw} (id) VALUES ('3')`,
    ]) {
      expect(await stateOf(wap.as(builder, sql)), sql).toBe(DENIED);
    }
  });

  test("cannot touch a published target", async () => {
    const { runId } = await doorRun(wap, { target: "b4" });
    await publishThroughDoor(wap, runId);
    const { builder } = wap.logins;
    for (const sql of [
      "CREATE OR REPLACE VIEW mart.b4 AS SELECT 1::bigint AS id, 1::numeric(10,2) AS v",
      "DROP VIEW mart.b4",
      "ALTER VIEW mart.b4 SET (security_barrier)",
      "INSERT INTO mart.b4 VALUES (3, 3)",
      "COMMENT ON VIEW mart.b4 IS 'x'",
      "BEGIN; LOCK TABLE mart.b4 IN ACCESS EXCLUSIVE MODE",
    ]) {
      expect(await stateOf(wap.as(builder, sql)), sql).toBe(DENIED);
    }
  });

  test("cannot bring a type of its own, or one that shows names (its functions would run as the vault)", async () => {
    const started = async (type: string): Promise<string> => {
      const runId = newRunId();
      const manifest = await manifestOf(wap, runId, "b6", (c) => c.replace('"bigint"', `"${type}"`));
      await wap.as(wap.logins.builder, "SELECT wap_admin.start_run($1::jsonb, $2::jsonb)", [
        JSON.stringify(manifest),
        JSON.stringify(audits),
      ]);
      return `SELECT wap_admin.open_stage('${runId}')`;
    };
    const opened = async (type: string, before = ""): Promise<string> =>
      stateOf(wap.as(wap.logins.builder, `${before}${await started(type)}`));
    expect(await opened("evil", "CREATE TYPE pg_temp.evil AS RANGE (subtype = integer); ")).toBe("WAP17");
    expect(await opened("mood", "CREATE TYPE pg_temp.mood AS ENUM ('a'); ")).toBe("WAP17");
    expect(await opened("mood[]", "CREATE TYPE pg_temp.mood AS ENUM ('a'); ")).toBe("WAP17");
    expect(await opened("regclass")).toBe("WAP17");
    expect(await opened("regclass[]")).toBe("WAP17");
    expect(await opened("bigint[]")).toBe("ok");
  });

  test("cannot start a run whose contract lacks a clause or names one of wap's own roles as its consumer", async () => {
    const start = async (change: (contract: string) => string): Promise<string> =>
      stateOf(
        wap.as(wap.logins.builder, "SELECT wap_admin.start_run($1::jsonb, $2::jsonb)", [
          JSON.stringify(await manifestOf(wap, newRunId(), "b7", change)),
          JSON.stringify(audits),
        ]),
      );
    expect(await start((c) => c.replace('"freshness":', '"other":'))).toBe("WAP17");
    expect(await start((c) => c.replace('"clauses":', '"other":'))).toBe("WAP17");
    expect(await start((c) => c.replace(wap.logins.consumer, "wap_owner"))).toBe("WAP17");
    expect(await start((c) => c)).toBe("ok");
  });

  test("cannot seal a stage without sealed raw rows, or in a transaction whose snapshot is older than its locks", async () => {
    const { runId } = await doorRun(wap, { target: "b8", until: "building" });
    const { builder } = wap.logins;
    await wap.as(builder, "SELECT wap_admin.open_stage($1)", [runId]);
    const seal = `SELECT wap_admin.seal_stage('${runId}')`;
    expect(await stateOf(wap.as(builder, seal)), "nothing landed").toBe("WAP04");
    await wap.as(builder, "SELECT wap_admin.open_raw($1, ARRAY['id', 'v'])", [runId]);
    expect(await stateOf(wap.as(builder, seal)), "raw not sealed").toBe("WAP04");
    const sealRaw = `SELECT wap_admin.seal_raw('${runId}', '{"sha256": "the-source", "parsed": "0"}')`;
    for (const isolation of ["REPEATABLE READ", "SERIALIZABLE"])
      expect(await stateOf(wap.as(builder, `BEGIN ISOLATION LEVEL ${isolation}; ${sealRaw}`))).toBe("WAP04");
    expect(await stateOf(wap.as(builder, sealRaw))).toBe("ok");
    expect(await stateOf(wap.as(builder, seal))).toBe("ok");
  });

  test("cannot use a name that another run, or another target of this run, gives", async () => {
    const runId = newRunId();
    const manifest = await manifestOf(wap, runId, "b10");
    const others = [await manifestOf(wap, newRunId(), "b10"), await manifestOf(wap, runId, "b11")];
    for (const other of others) {
      for (const name of ["raw_relation", "rejects_relation", "excluded_relation", "stage_relation"]) {
        const start = wap.as(wap.logins.builder, "SELECT wap_admin.start_run($1::jsonb, $2::jsonb)", [
          JSON.stringify({ ...manifest, [name]: other[name] }),
          JSON.stringify(audits),
        ]);
        expect(await stateOf(start), name).toBe("WAP17");
      }
    }
  });

  test("of other runs cannot audit this one, neither for it nor against it", async () => {
    const { runId } = await doorRun(wap, { target: "b12", until: "built" });
    const stranger = `${wap.logins.builder}_2`;
    await wap.admin(`CREATE ROLE ${stranger} LOGIN; GRANT wap_builder, wap_auditor TO ${stranger}`);
    const auditor = `${wap.logins.builder}_3`;
    await wap.admin(`CREATE ROLE ${auditor} LOGIN; GRANT wap_auditor TO ${auditor}`);
    const readings = JSON.stringify(audits.map((audit) => ({ ...audit, passed: false, observed: {} })));
    const record = (login: string): Promise<string> =>
      stateOf(
        wap.as(login, "SELECT wap_admin.record_readings($1, $2::jsonb, '[]', null)", [runId, readings]),
      );
    try {
      expect(await record(stranger)).toBe("WAP01");
      expect(await stateOf(wap.as(stranger, "SELECT wap_admin.finish_audit($1)", [runId]))).toBe("WAP01");
      expect(await statusOf(wap, runId)).toBe("built");
      expect(await record(auditor), "a login that only audits may").toBe("ok");
    } finally {
      await wap.admin(`DROP ROLE ${stranger}; DROP ROLE ${auditor}`);
    }
  });

  test("cannot hold a publish up with a temporary view over its target", async () => {
    const first = await doorRun(wap, { target: "b9" });
    await publishThroughDoor(wap, first.runId);
    const fingerprint = "SELECT wap_admin.target_fingerprint('mart', 'b9')";
    const changed = wap.as(
      wap.logins.builder,
      `DO $$ DECLARE before text := (${fingerprint}); BEGIN
         CREATE TEMP VIEW mine AS SELECT * FROM mart.b9;
         ASSERT before = (${fingerprint}), 'the fingerprint changed';
       END $$`,
    );
    expect(await stateOf(changed)).toBe("ok");
  });

  test("cannot leave out an assertion of the contract, or hand in a contract that does not hash to its hash", async () => {
    const runId = newRunId();
    const manifest = await manifestOf(wap, runId, "b5");
    const start = (m: unknown, a: unknown): Promise<unknown> =>
      wap.as(wap.logins.builder, "SELECT wap_admin.start_run($1::jsonb, $2::jsonb)", [
        JSON.stringify(m),
        JSON.stringify(a),
      ]);
    expect(await stateOf(start(manifest, audits.slice(1)))).toBe("WAP17");
    expect(await stateOf(start({ ...manifest, contract_hash: "0".repeat(64) }, audits))).toBe("WAP17");
    expect(await stateOf(start({ ...manifest, stage_relation: "pg_class" }, audits))).toBe("WAP17");
    expect(
      await stateOf(start({ ...manifest, target_relation: "another" }, audits)),
      "a target that the contract does not name",
    ).toBe("WAP17");
    expect(await stateOf(start({ ...manifest, preflight_fingerprint: "0".repeat(64) }, audits))).toBe(
      "WAP07",
    );
    expect(await stateOf(start(manifest, audits))).toBe("ok");
    expect(await stateOf(start(manifest, audits)), "a run id is used once (E1)").toBe("WAP03");
  });
});

describe("a publisher and an approver (A1)", () => {
  test("cannot build, audit or read what they do not need", async () => {
    const { runId, stage } = await doorRun(wap, { target: "p1", until: "built" });
    for (const login of [wap.logins.publisher, wap.logins.approver]) {
      expect(await stateOf(wap.as(login, "SELECT wap_admin.start_run('{}', '[]')"))).toBe(DENIED);
      expect(
        await stateOf(wap.as(login, "SELECT wap_admin.record_readings($1, '[]', '[]', null)", [runId])),
      ).toBe(DENIED);
      expect(await stateOf(wap.as(login, "SELECT wap_admin.finish_audit($1)", [runId]))).toBe(DENIED);
      expect(await stateOf(wap.as(login, `SELECT * FROM ${stage}`))).toBe(DENIED);
    }
    expect(await stateOf(approveThroughDoor(wap, wap.logins.publisher, runId))).toBe(DENIED);
    expect(await stateOf(publishThroughDoor(wap, runId, "publish", wap.logins.approver))).toBe(DENIED);
  });

  test("a login with two duties that are to be kept apart has neither", async () => {
    const { runId } = await doorRun(wap, { target: "p2", until: "audited" });
    const both = `${wap.logins.builder}_both`;
    await wap.admin(`CREATE ROLE ${both} LOGIN; GRANT wap_builder, wap_approver TO ${both}`);
    expect(await stateOf(approveThroughDoor(wap, both, runId))).toBe("WAP01");
    expect(await stateOf(wap.as(both, "SELECT wap_admin.start_run('{}', '[]')"))).toBe("WAP01");
  });

  test("a superuser has no duty", async () => {
    const { runId } = await doorRun(wap, { target: "p3", until: "audited" });
    expect(
      await stateOf(
        wap.admin("SELECT wap_admin.approve($1, 'publish', 'me', 'url', wap_admin.bindings($1), '{}')", [
          runId,
        ]),
      ),
    ).toBe("WAP01");
  });
});

describe("an approval (A2)", () => {
  test("binds every hash: one that differs or is missing is refused", async () => {
    const { runId } = await doorRun(wap, { target: "a1", until: "audited" });
    const [row] = await wap.admin("SELECT wap_admin.bindings($1) AS b", [runId]);
    const bound: Record<string, string> = row?.["b"];
    for (const key of Object.keys(bound)) {
      const { [key]: left, ...rest } = bound;
      for (const wrong of [rest, { ...rest, [key]: `${left}x` }]) {
        const attempt = wap.as(
          wap.logins.approver,
          "SELECT wap_admin.approve($1, 'publish', 'github:lena', 'url', $2::jsonb, '{}')",
          [runId, JSON.stringify(wrong)],
        );
        expect(await stateOf(attempt), key).toBe("WAP09");
      }
    }
    expect(await statusOf(wap, runId)).toBe("audited");
  });

  test("is refused for a run that is not audited, and happens once", async () => {
    const failed = await doorRun(wap, { target: "a2", until: "audited", failing: ["grain_holds"] });
    expect(await statusOf(wap, failed.runId)).toBe("failed");
    expect(await stateOf(approveThroughDoor(wap, wap.logins.approver, failed.runId))).toBe("WAP15");
    const { runId } = await doorRun(wap, { target: "a2", until: "approved" });
    expect(
      await stateOf(approveThroughDoor(wap, wap.logins.approver, runId)),
      "the same approval again is harmless",
    ).toBe("ok");
    const unbound = wap.as(
      wap.logins.approver,
      "SELECT wap_admin.approve($1, 'publish', 'github:lena', 'https://example.test/c/1', '{}', '{}')",
      [runId],
    );
    expect(await stateOf(unbound), "the same approval of other bytes is not the same").toBe("WAP04");
    const other = wap.as(
      wap.logins.approver,
      "SELECT wap_admin.approve($1, 'publish', 'github:omar', 'url', wap_admin.bindings($1), '{}')",
      [runId],
    );
    expect(await stateOf(other)).toBe("WAP04");
  });

  test("without an identity or a reference is refused", async () => {
    const { runId } = await doorRun(wap, { target: "a3", until: "audited" });
    for (const [by, ref] of [
      ["", "url"],
      ["github:lena", " "],
    ]) {
      const attempt = wap.as(
        wap.logins.approver,
        "SELECT wap_admin.approve($1, 'publish', $2, $3, wap_admin.bindings($1), '{}')",
        [runId, by, ref],
      );
      expect(await stateOf(attempt)).toBe("23514");
    }
  });
});

describe("the gate (E2)", () => {
  test("fails a run whose audit failed, and one that misses a reading; neither can be published", async () => {
    const failing = await doorRun(wap, { target: "g1", until: "audited", failing: ["bounds_holds"] });
    const missing = await doorRun(wap, { target: "g1", until: "audited", unread: ["freshness_holds"] });
    for (const { runId } of [failing, missing]) {
      expect(await statusOf(wap, runId)).toBe("failed");
      expect(await stateOf(publishThroughDoor(wap, runId))).toBe("WAP04");
    }
    const codes = await wap.admin(
      "SELECT code, message FROM wap_admin.failures WHERE run_id = ANY ($1) ORDER BY code",
      [[failing.runId, missing.runId]],
    );
    expect(codes.map((row) => row["code"])).toEqual(["audit_failed", "gate_rejected"]);
    expect(codes[0]?.["message"]).toContain("failed=[bounds_holds]");
    expect(codes[1]?.["message"]).toContain("missing_audits=[freshness_holds]");
  });

  test("publishes nothing that is not approved", async () => {
    const { runId } = await doorRun(wap, { target: "g2", until: "audited" });
    expect(await stateOf(publishThroughDoor(wap, runId))).toBe("WAP05");
    expect(await wap.admin("SELECT to_regclass('mart.g2') AS r")).toEqual([{ r: null }]);
  });

  test("raises for a status that is not gated and for a null argument", async () => {
    const { runId } = await doorRun(wap, { target: "g3", until: "built" });
    expect(
      await stateOf(wap.as(wap.logins.builder, "SELECT wap_admin.assert_gate($1, false)", [runId])),
    ).toBe("P0001");
    const audited = await doorRun(wap, { target: "g3", until: "audited" });
    expect(
      await stateOf(wap.as(wap.logins.builder, "SELECT wap_admin.assert_gate($1, true)", [audited.runId])),
    ).toBe("P0001");
    expect(
      await stateOf(wap.as(wap.logins.builder, "SELECT wap_admin.assert_gate($1, null)", [audited.runId])),
    ).toBe("P0001");
    expect(
      await stateOf(wap.as(wap.logins.builder, "SELECT wap_admin.assert_gate($1, false)", [audited.runId])),
    ).toBe("ok");
  });

  test("takes no reading before the seal, and none twice", async () => {
    const { runId } = await doorRun(wap, { target: "g4", until: "opened" });
    const record = (): Promise<unknown> =>
      wap.as(wap.logins.builder, "SELECT wap_admin.record_readings($1, $2::jsonb, '[]', null)", [
        runId,
        JSON.stringify([{ name: "grain_holds", passed: true, observed: {} }]),
      ]);
    expect(await stateOf(record())).toBe("WAP04");
    await wap.as(wap.logins.builder, "SELECT wap_admin.seal_stage($1)", [runId]);
    expect(await stateOf(record())).toBe("ok");
    expect(await stateOf(record()), "one reading an audit").toBe("23505");
    const undeclared = wap.as(
      wap.logins.builder,
      "SELECT wap_admin.record_readings($1, $2::jsonb, '[]', null)",
      [runId, JSON.stringify([{ name: "other", passed: true, observed: {} }])],
    );
    expect(await stateOf(undeclared), "an undeclared audit").toBe("23503");
  });
});

describe("the record (E1)", () => {
  test("cannot be rewritten, deleted or truncated, not even by a superuser or with replica triggers off", async () => {
    const { runId } = await doorRun(wap, { target: "r1", until: "audited" });
    for (const replica of ["", "SET session_replication_role = replica; "]) {
      for (const sql of [
        "UPDATE wap_admin.audit_log SET passed = true",
        "DELETE FROM wap_admin.transitions",
        "TRUNCATE wap_admin.expected_audits CASCADE",
        "UPDATE wap_admin.manifests SET contract = ''",
        "DELETE FROM wap_admin.runs",
        `UPDATE wap_admin.runs SET status = 'building' WHERE run_id = '${runId}'`,
        `UPDATE wap_admin.runs SET stage_fingerprint = 'x' WHERE run_id = '${runId}'`,
        `UPDATE wap_admin.runs SET status = 'published' WHERE run_id = '${runId}'`,
        `UPDATE wap_admin.runs SET approved_by = 'x' WHERE run_id = '${runId}'`,
      ]) {
        expect(await stateOf(wap.admin(replica + sql)), replica + sql).toBe("WAP16");
      }
    }
  });

  test("knows the transitions of domain/run.ts and no other", async () => {
    const { runId } = await doorRun(wap, { target: "r3", until: "built" });
    for (const from of STATUSES) {
      for (const to of STATUSES.filter((status) => status !== from)) {
        const step = wap.admin(`
          CREATE TEMP TABLE copy AS SELECT * FROM wap_admin.runs WHERE run_id = '${runId}';
          UPDATE copy SET status = '${from}';
          CREATE TRIGGER forward_only BEFORE UPDATE ON copy FOR EACH ROW EXECUTE FUNCTION wap_admin.forward_only();
          UPDATE copy SET status = '${to}'`);
        expect(await stateOf(step), `${from} to ${to}`).toBe(TRANSITIONS[from].includes(to) ? "ok" : "WAP16");
      }
    }
  });

  test("holds every status a run had, with the login that moved it", async () => {
    const { runId } = await doorRun(wap, { target: "r2" });
    await publishThroughDoor(wap, runId);
    const rows = await wap.admin(
      "SELECT to_status, login FROM wap_admin.transitions WHERE run_id = $1 ORDER BY seq",
      [runId],
    );
    const { builder, approver, publisher } = wap.logins;
    expect(rows.map((row) => [row["to_status"], row["login"]])).toEqual([
      ["building", builder],
      ["built", builder],
      ["audited", builder],
      ["approved", approver],
      ["published", publisher],
    ]);
  });
});
