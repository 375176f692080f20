// The guarded transaction through its door: what was audited is what is published, or nothing is (safety E3, R1, R2, R4; A4).
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { approveThroughDoor, doorRun, publishThroughDoor, statusOf } from "../../../harness/door-run.ts";
import { stateOf, type WapDatabase, wapDatabase } from "../../../harness/wap-database.ts";

let wap: WapDatabase;
beforeAll(async () => {
  wap = await wapDatabase();
});
afterAll(async () => {
  await wap.end();
});

const readers = async (target: string): Promise<unknown[]> =>
  (
    await wap.as(
      wap.logins.publisher,
      `SET ROLE ${wap.logins.consumer}; SELECT id::text, v::text FROM mart.${target} ORDER BY id`,
    )
  ).map((row) => [row["id"], row["v"]]);

/** A target with one published version, and a second run approved on top of it. */
async function secondRun(
  target: string,
): Promise<{ first: Awaited<ReturnType<typeof doorRun>>; second: Awaited<ReturnType<typeof doorRun>> }> {
  const first = await doorRun(wap, { target, rows: [["1", "1.00"]] });
  await publishThroughDoor(wap, first.runId);
  return { first, second: await doorRun(wap, { target, rows: [["1", "9.00"]] }) };
}

describe("a publish", () => {
  test("creates a first version for the consumer role, and replaces what the view shows without changing the view", async () => {
    const { first, second } = await secondRun("v1");
    expect(await readers("v1")).toEqual([["1", "1.00"]]);
    await wap.admin("COMMENT ON VIEW mart.v1 IS 'orders'; ALTER VIEW mart.v1 SET (security_barrier = true)");
    const third = await doorRun(wap, { target: "v1", rows: [["1", "9.00"]] });
    const before = await wap.admin(
      "SELECT oid, relacl::text, reloptions, obj_description(oid) AS c FROM pg_class WHERE oid = 'mart.v1'::regclass",
    );
    await publishThroughDoor(wap, third.runId);
    expect(await readers("v1")).toEqual([["1", "9.00"]]);
    expect(
      await wap.admin(
        "SELECT oid, relacl::text, reloptions, obj_description(oid) AS c FROM pg_class WHERE oid = 'mart.v1'::regclass",
      ),
    ).toEqual(before);
    expect(
      await wap.admin(`SELECT count(*)::int AS n FROM ${first.stage}`),
      "the previous version stays",
    ).toEqual([{ n: 1 }]);
    expect(
      await stateOf(publishThroughDoor(wap, second.runId)),
      "built on a version that is no longer the current one",
    ).toBe("WAP08");
  });

  test("of the second of two runs that were built on one version is refused", async () => {
    const { first } = await secondRun("v2");
    const a = await doorRun(wap, { target: "v2", rows: [["1", "3.00"]] });
    const b = await doorRun(wap, { target: "v2", rows: [["1", "4.00"]] });
    await publishThroughDoor(wap, a.runId);
    expect(await stateOf(publishThroughDoor(wap, b.runId))).toBe("WAP08");
    expect(await readers("v2")).toEqual([["1", "3.00"]]);
    expect(await statusOf(wap, first.runId)).toBe("published");
  });

  test("of a first version is refused when somebody else made a relation of that name meanwhile", async () => {
    const run = await doorRun(wap, { target: "v3" });
    await wap.admin("CREATE TABLE mart.v3 (id bigint)");
    expect(await stateOf(publishThroughDoor(wap, run.runId))).toBe("WAP07");
  });

  const tampering: readonly (readonly [string, string, (stage: string) => string])[] = [
    [
      "one value was changed behind the seal",
      "WAP06",
      (s) =>
        `ALTER TABLE ${s} DISABLE TRIGGER sealed; UPDATE ${s} SET v = 8; ALTER TABLE ${s} ENABLE ALWAYS TRIGGER sealed`,
    ],
    [
      "a row was added behind the seal",
      "WAP06",
      (s) =>
        `ALTER TABLE ${s} DISABLE TRIGGER sealed; INSERT INTO ${s} VALUES (7, 7); ALTER TABLE ${s} ENABLE ALWAYS TRIGGER sealed`,
    ],
    ["the seal is off", "WAP06", (s) => `ALTER TABLE ${s} DISABLE TRIGGER sealed`],
    ["the seal no longer holds for replicas", "WAP06", (s) => `ALTER TABLE ${s} ENABLE TRIGGER sealed`],
    ["somebody may write the stage", "WAP06", (s) => `GRANT INSERT ON ${s} TO PUBLIC`],
    ["the stage has another owner", "WAP06", (s) => `ALTER TABLE ${s} OWNER TO postgres`],
    ["a column was added", "WAP06", (s) => `ALTER TABLE ${s} ADD COLUMN extra text`],
    ["an index was added", "WAP06", (s) => `CREATE INDEX ON ${s} (v)`],
    [
      "the stage was replaced by a table of the same name",
      "WAP06",
      (s) => `ALTER TABLE ${s} RENAME TO gone_${Date.now()}; CREATE TABLE ${s} (id bigint, v numeric(10,2))`,
    ],
  ];
  test.each(tampering)("is refused when %s, and readers keep the old version", async (_, state, sql) => {
    const target = `t${Math.random().toString(36).slice(2, 10)}`;
    const { second } = await secondRun(target);
    await wap.admin(sql(second.stage));
    expect(await stateOf(publishThroughDoor(wap, second.runId))).toBe(state);
    expect(await readers(target)).toEqual([["1", "1.00"]]);
    expect(await statusOf(wap, second.runId)).toBe("approved");
  });

  const drift: readonly (readonly [string, string, (target: string) => string])[] = [
    ["a grant was added", "WAP07", (t) => `CREATE ROLE r_${t}; GRANT SELECT ON mart.${t} TO r_${t}`],
    ["a comment was changed", "WAP07", (t) => `COMMENT ON VIEW mart.${t} IS 'changed'`],
    ["an option was set", "WAP07", (t) => `ALTER VIEW mart.${t} SET (security_barrier = true)`],
    ["a view came to depend on it", "WAP07", (t) => `CREATE VIEW mart.on_${t} AS SELECT id FROM mart.${t}`],
    ["its owner changed", "WAP07", (t) => `ALTER VIEW mart.${t} OWNER TO postgres`],
    [
      "it was replaced by a view with a filter",
      "WAP07",
      (t) =>
        `CREATE OR REPLACE VIEW mart.${t} AS SELECT id, v FROM (SELECT 1::bigint AS id, 1::numeric(10,2) AS v) x WHERE id > 0`,
    ],
    [
      "it was dropped and made anew",
      "WAP07",
      (t) => `DROP VIEW mart.${t}; CREATE VIEW mart.${t} AS SELECT 1::bigint AS id, 1::numeric(10,2) AS v`,
    ],
  ];
  test.each(drift)("is refused when the target drifted: %s", async (_, state, sql) => {
    const target = `d${Math.random().toString(36).slice(2, 10)}`;
    const { second } = await secondRun(target);
    await wap.admin(sql(target));
    expect(await stateOf(publishThroughDoor(wap, second.runId))).toBe(state);
    expect(await statusOf(wap, second.runId)).toBe("approved");
  });

  test("at REPEATABLE READ, or without finite timeouts, is refused", async () => {
    const { second } = await secondRun("v4");
    const settings =
      "SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '10s';";
    const call = (begin: string, set: string): Promise<unknown> =>
      wap.as(wap.logins.publisher, `${begin}; ${set} SELECT wap_admin.publish('${second.runId}'); COMMIT`);
    expect(await stateOf(call("BEGIN ISOLATION LEVEL REPEATABLE READ", settings))).toBe("WAP04");
    expect(await stateOf(call("BEGIN", settings.replace("'5s'", "0")))).toBe("WAP04");
    expect(await stateOf(call("BEGIN", settings.replace("'60s'", "0")))).toBe("WAP04");
    expect(await stateOf(call("BEGIN", settings.replace("'10s'", "0")))).toBe("WAP04");
    expect(await stateOf(call("BEGIN", settings))).toBe("ok");
  });

  test("gives up within a bounded time when a reader does not let go, and names it; readers lose nothing (R5)", async () => {
    const { second } = await secondRun("v5");
    const reader = new pg.Client({ connectionString: wap.url(wap.logins.builder) });
    await reader.connect();
    await reader.query("BEGIN; SELECT * FROM mart.v5");
    const waiting = stateOf(
      wap.as(
        wap.logins.publisher,
        `BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = '4s'; SET LOCAL idle_in_transaction_session_timeout = '10s';
         SELECT wap_admin.publish('${second.runId}'); COMMIT`,
      ),
    );
    const slowest = await slowestRead("v5", 3000);
    expect(await waiting).toMatch(/^(57014|55P03)$/);
    expect(slowest, "a new reader is never queued for long").toBeLessThan(1000);
    await reader.query("COMMIT");
    await reader.end();
    await publishThroughDoor(wap, second.runId);
    expect(await readers("v5")).toEqual([["1", "9.00"]]);
  });
});

/** Longest of many reads in a row, in milliseconds. */
async function slowestRead(target: string, forMs: number): Promise<number> {
  const client = new pg.Client({ connectionString: wap.url(wap.logins.builder) });
  await client.connect();
  let slowest = 0;
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    const start = performance.now();
    await client.query(`SELECT count(*) FROM mart.${target}`);
    slowest = Math.max(slowest, performance.now() - start);
  }
  await client.end();
  return slowest;
}

describe("a rollback", () => {
  test("needs an approval of its own, restores the version before, and happens once", async () => {
    const { second } = await secondRun("k1");
    await publishThroughDoor(wap, second.runId);
    expect(
      await stateOf(publishThroughDoor(wap, second.runId, "roll_back")),
      "the approval to publish does not count",
    ).toBe("WAP05");
    await approveThroughDoor(wap, wap.logins.approver, second.runId, "rollback");
    await publishThroughDoor(wap, second.runId, "roll_back");
    expect(await readers("k1")).toEqual([["1", "1.00"]]);
    expect(await statusOf(wap, second.runId)).toBe("rolled_back");
    expect(await stateOf(publishThroughDoor(wap, second.runId, "roll_back"))).toBe("WAP04");
  });

  test("of a first version, or of one that readers no longer see, is refused", async () => {
    const { first, second } = await secondRun("k2");
    const approveRollback = (runId: typeof first.runId): Promise<string> =>
      stateOf(approveThroughDoor(wap, wap.logins.approver, runId, "rollback"));
    expect(await approveRollback(first.runId), "nothing to go back to").toBe("WAP13");
    expect(await stateOf(publishThroughDoor(wap, first.runId, "roll_back"))).toBe("WAP13");
    await publishThroughDoor(wap, second.runId);
    expect(await approveRollback(first.runId), "no longer what readers see").toBe("WAP14");
    expect(await stateOf(publishThroughDoor(wap, first.runId, "roll_back"))).toBe("WAP14");
    const third = await doorRun(wap, { target: "k2", rows: [["1", "5.00"]] });
    expect(await approveRollback(second.runId)).toBe("ok");
    await publishThroughDoor(wap, third.runId);
    expect(
      await stateOf(publishThroughDoor(wap, second.runId, "roll_back")),
      "approved while it was current",
    ).toBe("WAP14");
  });

  test("is refused when the version to go back to was altered, or the target was changed since", async () => {
    const { first, second } = await secondRun("k3");
    await publishThroughDoor(wap, second.runId);
    await approveThroughDoor(wap, wap.logins.approver, second.runId, "rollback");
    await wap.admin("COMMENT ON VIEW mart.k3 IS 'since then'");
    expect(await stateOf(publishThroughDoor(wap, second.runId, "roll_back"))).toBe("WAP07");
    await wap.admin("COMMENT ON VIEW mart.k3 IS NULL");
    await wap.admin(
      `ALTER TABLE ${first.stage} DISABLE TRIGGER sealed; UPDATE ${first.stage} SET v = 0; ALTER TABLE ${first.stage} ENABLE ALWAYS TRIGGER sealed`,
    );
    expect(await stateOf(publishThroughDoor(wap, second.runId, "roll_back"))).toBe("WAP06");
    expect(await readers("k3")).toEqual([["1", "9.00"]]);
  });
});
