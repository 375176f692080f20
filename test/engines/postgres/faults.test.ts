// Whatever breaks before the commit leaves readers on the old version, and the run can be published afterwards (safety R1, R2, R3).
import { connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunId } from "../../../src/domain/run.ts";
import { withSession } from "../../../src/engines/postgres/connection.ts";
import { postgresPublisher } from "../../../src/engines/postgres/publisher.ts";
import { doorRun, publishThroughDoor, statusOf } from "../../harness/door-run.ts";
import { type WapDatabase, wapDatabase } from "../../harness/wap-database.ts";

let wap: WapDatabase;
beforeAll(async () => {
  wap = await wapDatabase();
});
afterAll(async () => {
  await wap.end();
});

const readers = async (target: string): Promise<unknown> =>
  (
    await wap.as(
      wap.logins.publisher,
      `SET ROLE ${wap.logins.consumer}; SELECT v::text FROM mart.${target} ORDER BY id`,
    )
  )[0]?.["v"];

async function approvedOnTop(target: string): Promise<{ runId: RunId; stage: string }> {
  const first = await doorRun(wap, { target, rows: [["1", "1.00"]] });
  await publishThroughDoor(wap, first.runId);
  return doorRun(wap, { target, rows: [["1", "2.00"]] });
}

const publish = (runId: RunId, url = wap.url(wap.logins.publisher)) =>
  withSession({ variable: "TEST_PUBLISH_URL", url }, (session) =>
    postgresPublisher(session, (again) =>
      withSession({ variable: "TEST_PUBLISH_URL", url: wap.url(wap.logins.publisher) }, again),
    ).publish(runId),
  );

/** Waits until the publisher waits for a lock, then ends its backend. */
async function killWhileWaiting(): Promise<void> {
  for (let tried = 0; tried < 400; tried += 1) {
    const [waiting] = await wap.admin(
      `SELECT pid FROM pg_stat_activity WHERE usename = $1 AND datname = current_database() AND state = 'active'
       AND (wait_event_type = 'Lock' OR wait_event = 'PgSleep')`,
      [wap.logins.publisher],
    );
    if (waiting !== undefined) {
      await wap.admin("SELECT pg_terminate_backend($1)", [waiting["pid"]]);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the publisher never waited");
}

const places: readonly (readonly [
  string,
  (run: { runId: RunId; stage: string }, target: string) => string,
])[] = [
  [
    "the target's advisory lock",
    (_, target) => `SELECT pg_advisory_xact_lock(hashtextextended('mart.${target}', 0))`,
  ],
  ["the run's row", ({ runId }) => `SELECT 1 FROM wap_admin.runs WHERE run_id = '${runId}' FOR UPDATE`],
  ["the stage's lock", ({ stage }) => `LOCK TABLE ${stage} IN ROW EXCLUSIVE MODE`],
  ["freezing the view", (_, target) => `COMMENT ON VIEW mart.${target} IS NULL`],
  ["the readers of the view", (_, target) => `SELECT * FROM mart.${target}`],
  ["recording the publication", () => "LOCK TABLE wap_admin.publications IN SHARE MODE"],
];

describe("a publisher whose backend is killed", () => {
  test.each(places)(
    "while it waits for %s changes nothing, and the run can be published then",
    async (_, blocker) => {
      const target = `k${Math.random().toString(36).slice(2, 9)}`;
      const run = await approvedOnTop(target);
      const holder = new pg.Client({ connectionString: wap.database.adminUrl });
      await holder.connect();
      await holder.query("BEGIN");
      await holder.query(blocker(run, target));
      const publishing = publish(run.runId).then(
        (outcome) => (outcome.ok ? "published" : outcome.refusal.code),
        (error: Error & { code?: string }) => error.code,
      );
      await killWhileWaiting();
      expect(await publishing).toBe("connection_failed");
      await holder.query("ROLLBACK");
      await holder.end();
      expect([await readers(target), await statusOf(wap, run.runId)]).toEqual(["1.00", "approved"]);
      expect(await publish(run.runId)).toMatchObject({ ok: true });
      expect(await readers(target)).toBe("2.00");
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 7])(
    "before its statement number %i changes nothing, and the run can be published then",
    async (number) => {
      const target = `s${Math.random().toString(36).slice(2, 9)}`;
      const run = await approvedOnTop(target);
      const outcome = await withSession(
        { variable: "TEST_PUBLISH_URL", url: wap.url(wap.logins.publisher) },
        async (session) => {
          const [me] = await session.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
          let sent = 0;
          const { client } = session;
          const query = client.query.bind(client);
          const counted = async (...args: Parameters<typeof query>): Promise<unknown> => {
            sent += 1;
            if (sent === number) await wap.admin("SELECT pg_terminate_backend($1, 5000)", [me?.pid]);
            return query(...args);
          };
          Object.assign(client, { query: counted });
          const ended = await postgresPublisher(session, (again) =>
            withSession({ variable: "TEST_PUBLISH_URL", url: wap.url(wap.logins.publisher) }, again),
          )
            .publish(run.runId)
            .then(
              (result) => (result.ok ? "published" : result.refusal.code),
              (error: Error & { code?: string }) => error.code,
            );
          return { ended, sent };
        },
      );
      expect(outcome.sent, "a longer publish would need more numbers here").toBeLessThanOrEqual(8);
      // The transaction is the sixth statement; what comes after it finds a published run.
      if (number > 6) expect(outcome.ended).toBe("published");
      else {
        expect(outcome.ended).toBe("connection_failed");
        expect([await readers(target), await statusOf(wap, run.runId)]).toEqual(["1.00", "approved"]);
        expect(await publish(run.runId)).toMatchObject({ ok: true });
      }
      expect(await readers(target)).toBe("2.00");
    },
  );
});

describe("a connection that is cut between COMMIT and its answer", () => {
  test("is looked into: the run was published, once, and that is what is answered (R3, O35)", async () => {
    const run = await approvedOnTop("cut1");
    const server = new URL(wap.url(wap.logins.publisher));
    const sockets: Socket[] = [];
    const proxy = createServer((client) => {
      const upstream = connect(Number(server.port), server.hostname);
      sockets.push(client, upstream);
      let committing = false;
      client.on("data", (chunk: Buffer) => {
        committing ||= chunk.includes("COMMIT") && chunk.includes("wap_admin.publish");
        upstream.write(chunk);
      });
      // The server's answer to the transaction is swallowed, and the line cut.
      upstream.on("data", (chunk: Buffer) => (committing ? client.destroy() : client.write(chunk)));
      for (const socket of [client, upstream]) socket.on("error", () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    const through = new URL(server);
    through.port = `${typeof address === "object" && address !== null ? address.port : 0}`;
    expect(await publish(run.runId, through.href)).toMatchObject({ ok: true, value: { kind: "publish" } });
    for (const socket of sockets) socket.destroy();
    proxy.close();
    expect([await readers("cut1"), await statusOf(wap, run.runId)]).toEqual(["2.00", "published"]);
    expect(
      await wap.admin("SELECT count(*)::int AS n FROM wap_admin.publications WHERE run_id = $1", [run.runId]),
    ).toEqual([{ n: 1 }]);
  });
});

describe("two publishers at once", () => {
  test("of two approved runs on one version: exactly one wins, the other is refused as built on a stale base", async () => {
    const target = "race1";
    const first = await approvedOnTop(target);
    const second = await doorRun(wap, { target, rows: [["1", "3.00"]] });
    const outcomes = await Promise.all([publish(first.runId), publish(second.runId)]);
    expect(outcomes.map((outcome) => (outcome.ok ? "published" : outcome.refusal.code)).toSorted()).toEqual([
      "published",
      "stale_base",
    ]);
  });

  test("of the same run: it is published once, and both hear so", async () => {
    const run = await approvedOnTop("race2");
    const outcomes = await Promise.all([publish(run.runId), publish(run.runId)]);
    const told = outcomes.map((outcome) => (outcome.ok ? "published" : outcome.refusal.code));
    expect(told).toContain("published");
    expect(told.every((one) => one === "published" || one === "already_decided")).toBe(true);
    expect(
      await wap.admin("SELECT count(*)::int AS n FROM wap_admin.publications WHERE run_id = $1", [run.runId]),
    ).toEqual([{ n: 1 }]);
  });
});
