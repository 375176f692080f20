// Landing's writing half on a real server: cells byte for byte, all or nothing, and no hang whatever the server does (case O36, safety E4, R2).
import { connect, createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WapError } from "../../../src/domain/errors.ts";
import { quoteIdentifier } from "../../../src/domain/identifier.ts";
import { LandingFault } from "../../../src/domain/landing.ts";
import { copyCell, copyRecords } from "../../../src/engines/postgres/copy-records.ts";
import type { RecordBatch, RecordReader, RejectedRecord, SourceRecord } from "../../../src/ports.ts";
import { freshDatabase, type TestDatabase } from "../../harness/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  await database.end();
});
beforeEach(async () => {
  await database.query(`
    DROP TABLE IF EXISTS raw, rejects;
    CREATE TABLE raw (_src_row bigint NOT NULL, a text, "B b" text);
    CREATE TABLE rejects (_src_row bigint NOT NULL, _line bigint NOT NULL, reason text NOT NULL, message text NOT NULL, record text NOT NULL)`);
});

const RAW = { table: quoteIdentifier("raw"), columns: ["a", "B b"] };
const REJECTS = { table: quoteIdentifier("rejects") };

type Batches = AsyncIterable<RecordBatch> | Iterable<RecordBatch>;

function readerOf(batches: Batches, changed?: Error): RecordReader {
  return {
    header: RAW.columns,
    parser: {},
    batches: async function* () {
      yield* batches;
    },
    totals: () => {
      if (changed !== undefined) throw changed;
      return { bytes: 1n, sha256: "s", plainBytes: 1n, parsed: 0n, rejected: 0n, skipped: 0n };
    },
  };
}

const batch = (records: readonly SourceRecord[], rejects: readonly RejectedRecord[] = []): RecordBatch => ({
  records,
  rejects,
  doneBytes: 1,
});

const numbered = (
  from: number,
  count: number,
  cells: readonly (string | null)[] = ["x", "y"],
): SourceRecord[] => Array.from({ length: count }, (_, n) => ({ row: from + n, cells }));

const bad = (row: number, text = "x"): RejectedRecord => ({
  row,
  line: row + 1,
  reason: "ragged-row",
  message: "no good",
  text,
});

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const landing = (client: pg.Client, reader: RecordReader, stalledMs?: number, raw = RAW) =>
  copyRecords(client, raw, REJECTS, reader, 1, () => undefined, stalledMs);

const land = (reader: RecordReader, stalledMs?: number) =>
  withClient(database.adminUrl, (client) => landing(client, reader, stalledMs));

const counts = async (): Promise<unknown> =>
  (
    await database.query(
      "SELECT (SELECT count(*)::int FROM raw) AS raw, (SELECT count(*)::int FROM rejects) AS rejects",
    )
  )[0];

/** The error of a landing that must fail, and how long it took. */
async function failure(attempt: Promise<unknown>): Promise<{ error: WapError; ms: number }> {
  const began = performance.now();
  try {
    await attempt;
  } catch (error) {
    if (error instanceof WapError) return { error, ms: performance.now() - began };
    throw error;
  }
  throw new Error("it landed");
}

const states = async (): Promise<unknown[]> =>
  database.query(
    "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start IS NOT NULL",
  );

/** Waits until no session of this database is in a transaction. */
async function nobodyLeft(): Promise<void> {
  await expect.poll(states, { timeout: 5000 }).toEqual([]);
}

describe("cells", () => {
  const hostile = fc.oneof(
    fc.constant(null),
    fc.string({
      unit: fc.constantFrom(
        "\\",
        "N",
        ".",
        "\t",
        "\n",
        "\r",
        "\b",
        "\f",
        "\v",
        '"',
        ",",
        "'",
        "é",
        "😀",
        "\u0001",
        "\ufeff",
        "\u2028",
        "\u007f",
        " ",
        "b",
        "x",
        "0",
        "1",
      ),
      maxLength: 12,
    }),
    fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replaceAll("\0", "")),
  );

  test("come back byte for byte, null apart from empty", async () => {
    await withClient(database.adminUrl, async (client) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(hostile, hostile), { minLength: 1, maxLength: 30 }),
          async (rows) => {
            await client.query("TRUNCATE raw");
            await landing(client, readerOf([batch(rows.map((cells, n) => ({ row: n + 1, cells })))]));
            const { rows: found } = await client.query<{ a: string | null; b: string | null }>(
              `SELECT encode(convert_to(a, 'UTF8'), 'hex') AS a, encode(convert_to("B b", 'UTF8'), 'hex') AS b FROM raw ORDER BY _src_row`,
            );
            const hex = (text: string | null): string | null =>
              text === null ? null : Buffer.from(text).toString("hex");
            expect(found).toEqual(rows.map(([a, b]) => ({ a: hex(a), b: hex(b) })));
          },
        ),
        { numRuns: 150 },
      );
    });
  });

  test("that mean something to COPY are escaped: the end mark, null, and a delimiter", () => {
    expect(["\\.", "\\N", "a\tb", "a\r\nb", "", null].map(copyCell)).toEqual([
      "\\\\.",
      "\\\\N",
      "a\\tb",
      "a\\r\\nb",
      "",
      "\\N",
    ]);
  });

  test("of a megabyte each are landed whole", async () => {
    const big = "é\\\n".repeat(350_000);
    await land(readerOf([batch([{ row: 1, cells: [big, big] }])]));
    const [row] = await database.query('SELECT octet_length(a) AS n, a = "B b" AS same FROM raw');
    expect(row).toEqual({ n: Buffer.byteLength(big), same: true });
  });
});

describe("counts", () => {
  test("are the server's, rejects and records in their tables, however many rejects there are", async () => {
    const batches = Array.from({ length: 40 }, (_, n) =>
      batch(
        numbered(n * 200 + 1, 100),
        Array.from({ length: 100 }, (_, m) => bad(n * 200 + 101 + m, "r".repeat(8000))),
      ),
    );
    const copied = await land(readerOf(batches));
    expect([copied.landed, copied.rejected]).toEqual([4000n, 4000n]);
    expect(await counts()).toEqual({ raw: 4000, rejects: 4000 });
    const [both] = await database.query(
      "SELECT count(DISTINCT _src_row)::int AS n, max(_src_row)::int AS last FROM (SELECT _src_row FROM raw UNION ALL SELECT _src_row FROM rejects) u",
    );
    expect(both).toEqual({ n: 8000, last: 8000 });
    const [reject] = await database.query("SELECT * FROM rejects ORDER BY _src_row LIMIT 1");
    expect(reject).toEqual({
      _src_row: "101",
      _line: "102",
      reason: "ragged-row",
      message: "no good",
      record: "r".repeat(8000),
    });
  });

  test("of a delivery without records are zero", async () => {
    const copied = await land(readerOf([batch([])]));
    expect([copied.landed, copied.rejected]).toEqual([0n, 0n]);
  });

  test("do not hide a server that keeps fewer rows than it was sent", async () => {
    await database.query(`
      CREATE OR REPLACE FUNCTION drops() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW._src_row = 2 THEN RETURN NULL; END IF; RETURN NEW; END $$;
      CREATE TRIGGER drops BEFORE INSERT ON raw FOR EACH ROW EXECUTE FUNCTION drops()`);
    expect((await land(readerOf([batch(numbered(1, 3))]))).landed).toBe(2n);
  });
});

describe("a row that the server refuses", () => {
  const refusing = (row: number) => database.query(`ALTER TABLE raw ADD CHECK (_src_row <> ${row})`);

  test("in the middle ends the landing at once with the server's error and the record's number, and leaves nothing (O36)", async () => {
    await refusing(20_001);
    let sent = 0;
    async function* batches(): AsyncGenerator<RecordBatch> {
      for (; sent < 400; sent += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        yield batch(numbered(sent * 1000 + 1, 1000, ["ok".repeat(50), "ok"]));
      }
    }
    const { error, ms } = await failure(land(readerOf(batches())));
    expect(error).toMatchObject({ code: "landing_failed", cause: { code: "23514" } });
    expect(error.message).toMatch(/landing record 20001: .*SQLSTATE 23514/);
    expect(error.cause).toBeInstanceOf(pg.DatabaseError);
    expect(ms).toBeLessThan(5000);
    expect(sent).toBeLessThan(400);
    expect(await counts()).toEqual({ raw: 0, rejects: 0 });
    await nobodyLeft();
  });

  test("is named by its number in the file where rejects and an earlier COPY came before it", async () => {
    await refusing(4010);
    const batches = [
      batch(
        numbered(1, 1000),
        Array.from({ length: 1500 }, (_, n) => bad(1001 + n)),
      ),
      batch(numbered(2501, 1000)),
      batch(
        numbered(3601, 200),
        Array.from({ length: 100 }, (_, n) => bad(3501 + n)),
      ),
      batch(numbered(4001, 500), [bad(3801)]),
    ];
    const { error } = await failure(land(readerOf(batches)));
    expect(error.message).toMatch(/landing record 4010: /);
    expect(await counts()).toEqual({ raw: 0, rejects: 0 });
  });

  test("shows no cell in its message", async () => {
    await database.query("ALTER TABLE raw ADD CHECK (a <> 'k4711')");
    const { error } = await failure(land(readerOf([batch([{ row: 1, cells: ["k4711", "y"] }])])));
    expect(error.message).toMatch(/landing record 1: /);
    expect(error.message).not.toContain("k4711");
  });

  test("for its width is the delivery's fault: many columns of long cells", async () => {
    const columns = Array.from({ length: 600 }, (_, n) => `c${n}`);
    await database.query(
      `DROP TABLE raw; CREATE TABLE raw (_src_row bigint, ${columns.map((name) => `${name} text`).join(", ")})`,
    );
    const cells = columns.map(() => "twenty bytes of text");
    const { error } = await failure(
      withClient(database.adminUrl, (client) =>
        landing(
          client,
          readerOf([
            batch([
              { row: 1, cells: columns.map(() => "x") },
              { row: 2, cells },
            ]),
          ]),
          undefined,
          {
            table: RAW.table,
            columns,
          },
        ),
      ),
    );
    expect(error).toMatchObject({ code: "landing_failed", cause: { code: "54000" } });
    expect(error.message).toMatch(/landing a record up to number 2: row is too big/);
  });

  test("since the database's encoding lacks a character is refused, never replaced", async () => {
    const name = `latin_${Date.now().toString(36)}`;
    await database.query(
      `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    const url = new URL(database.adminUrl);
    url.pathname = `/${name}`;
    try {
      await withClient(url.href, async (client) => {
        await client.query(
          `CREATE TABLE raw (_src_row bigint, a text, "B b" text); CREATE TABLE rejects (x int)`,
        );
        const { error } = await failure(
          landing(
            client,
            readerOf([batch([...numbered(1, 5, ["é", null]), { row: 6, cells: ["€", null] }])]),
          ),
        );
        expect(error).toMatchObject({ code: "landing_failed", cause: { code: "22P05" } });
        expect((await client.query("SELECT count(*)::int AS n FROM raw")).rows).toEqual([{ n: 0 }]);
      });
    } finally {
      await database.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });
});

describe("a delivery that ends badly", () => {
  const place = { path: "f.csv", line: 7, record: 5, column: null };
  async function* broken(error: Error): AsyncGenerator<RecordBatch> {
    for (let n = 0; n < 20; n += 1) yield batch(numbered(n * 1000 + 1, 1000), n === 0 ? [bad(99_999)] : []);
    throw error;
  }

  test("keeps its own error, leaves nothing, and leaves the session usable", async () => {
    const fault = new LandingFault(place, "a quote opens here and is never closed");
    await withClient(database.adminUrl, async (client) => {
      await expect(landing(client, readerOf(broken(fault)))).rejects.toBe(fault);
      expect(
        (await client.query("SELECT pg_current_xact_id_if_assigned() AS open, count(*)::int AS n FROM raw"))
          .rows,
      ).toEqual([{ open: null, n: 0 }]);
      expect((await landing(client, readerOf([batch(numbered(1, 3))]))).landed).toBe(3n);
    });
  });
  test("before its first record is no different", async () => {
    const fault = new LandingFault(place, "x");
    // biome-ignore lint/correctness/useYield: it fails before it has anything
    async function* none(): AsyncGenerator<RecordBatch> {
      throw fault;
    }
    await withClient(database.adminUrl, async (client) => {
      await expect(landing(client, readerOf(none()))).rejects.toBe(fault);
      expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    });
  });
  test("in that the file changed while it was read leaves nothing (E4)", async () => {
    const changed = new WapError("source_changed", "f.csv changed while it was read");
    await expect(land(readerOf([batch(numbered(1, 3), [bad(4)])], changed))).rejects.toBe(changed);
    expect(await counts()).toEqual({ raw: 0, rejects: 0 });
  });
});

describe("a server that goes away", () => {
  /** Endless records, at a pace; `onBatch` is told the number of each. */
  async function* endless(onBatch: (n: number) => Promise<void>): AsyncGenerator<RecordBatch> {
    for (let n = 0; ; n += 1) {
      await onBatch(n);
      yield batch(numbered(n * 1000 + 1, 1000, ["x".repeat(100), "y"]));
    }
  }

  test("by a killed backend ends the landing within seconds as connection_failed", async () => {
    await withClient(database.adminUrl, async (client) => {
      const [{ pid }] = (await client.query("SELECT pg_backend_pid() AS pid")).rows;
      const { error, ms } = await failure(
        landing(
          client,
          readerOf(
            endless(async (n) => {
              if (n === 5) await database.query(`SELECT pg_terminate_backend(${Number(pid)})`);
            }),
          ),
        ),
      );
      expect(error.code).toBe("connection_failed");
      expect(ms).toBeLessThan(5000);
    });
    expect(await counts()).toEqual({ raw: 0, rejects: 0 });
    await nobodyLeft();
  });

  test("by a cancelled statement is its own error, and the session stays usable", async () => {
    await withClient(database.adminUrl, async (client) => {
      const [{ pid }] = (await client.query("SELECT pg_backend_pid() AS pid")).rows;
      const { error } = await failure(
        landing(
          client,
          readerOf(
            endless(async (n) => {
              if (n === 5) await database.query(`SELECT pg_cancel_backend(${Number(pid)})`);
            }),
          ),
        ),
      );
      expect(error).toMatchObject({ code: "statement_timeout", cause: { code: "57014" } });
      expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    });
  });

  describe("behind a proxy", () => {
    let proxy: Server;
    let url: string;
    const sockets = new Set<Socket>();
    /** What the proxy does with bytes for the server. */
    let toServer: (chunk: Buffer, client: Socket, server: Socket) => void;

    beforeEach(async () => {
      toServer = (chunk, _client, server) => void server.write(chunk);
      const real = new URL(database.adminUrl);
      const { port, hostname } = real;
      proxy = createServer((client) => {
        const server = connect(Number(port), hostname);
        for (const socket of [client, server]) {
          sockets.add(socket);
          socket.on("error", () => undefined);
        }
        client.on("data", (chunk) => toServer(chunk, client, server));
        server.on("data", (chunk) => client.write(chunk));
        client.on("close", () => server.destroy());
        server.on("close", () => client.destroy());
      });
      await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      const address = proxy.address();
      if (address === null || typeof address === "string") throw new Error("no port");
      real.hostname = "127.0.0.1";
      real.port = String(address.port);
      url = real.href;
      return async () => {
        for (const socket of sockets) socket.destroy();
        sockets.clear();
        await new Promise((resolve) => proxy.close(resolve));
      };
    });

    const landThrough = (reader: RecordReader, stalledMs: number) =>
      withClient(url, (client) => landing(client, reader, stalledMs));

    test("that takes nothing more is given up after the limit, and the connection is closed", async () => {
      const { error, ms } = await failure(
        landThrough(
          readerOf(
            endless(async (n) => {
              if (n === 5) toServer = (_chunk, client) => void client.pause();
            }),
          ),
          700,
        ),
      );
      expect(error.code).toBe("connection_failed");
      expect(error.message).toMatch(/took no data for 0\.7 s/);
      expect(error.whileCleaning).toBeInstanceOf(Error);
      expect(ms).toBeLessThan(6000);
      // The proxy reads on, and finds that nobody is there any more.
      toServer = () => undefined;
      for (const socket of sockets) socket.resume();
      await nobodyLeft();
      expect(await counts()).toEqual({ raw: 0, rejects: 0 });
    });

    test("that is silent after the last record is given up as well", async () => {
      let last = false;
      const reader = readerOf(
        (async function* () {
          yield batch(numbered(1, 10));
          last = true;
          toServer = () => undefined;
        })(),
      );
      const { error } = await failure(landThrough(reader, 500));
      expect([last, error.code]).toEqual([true, "connection_failed"]);
      await nobodyLeft();
    });

    test("that is slow is waited for, and so is a slow delivery", async () => {
      toServer = (chunk, client, server) => {
        client.pause();
        setTimeout(() => {
          server.write(chunk);
          client.resume();
        }, 5);
      };
      const reader = readerOf(
        (async function* () {
          for (let n = 0; n < 12; n += 1) {
            if (n === 6) await new Promise((resolve) => setTimeout(resolve, 900));
            yield batch(numbered(n * 1000 + 1, 1000, ["x".repeat(200), "y"]));
          }
        })(),
      );
      expect((await landThrough(reader, 600)).landed).toBe(12_000n);
    });

    test("that closes the connection ends the landing at once", async () => {
      const { error, ms } = await failure(
        landThrough(
          readerOf(
            endless(async (n) => {
              if (n === 5) for (const socket of sockets) socket.destroy();
            }),
          ),
          30_000,
        ),
      );
      expect(error.code).toBe("connection_failed");
      expect(ms).toBeLessThan(5000);
      await nobodyLeft();
    });
  });
});
