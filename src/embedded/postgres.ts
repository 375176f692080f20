// A PostgreSQL server of our own for the demo and the tests: loopback only, an ephemeral port, ended by its process id.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { WapError } from "../domain/errors.ts";
import { packagedBinaries, runnableBinaries, serverDirectory, serverIds } from "./binaries.ts";

export interface EmbeddedOptions {
  /** Folder `native` of another version's package; the installed one by default. */
  readonly native?: string;
  /** `trust` asks for no password; `scram-sha-256` asks every login for its own. */
  readonly auth?: "trust" | "scram-sha-256";
  /** The superuser's password; needed with scram-sha-256. */
  readonly password?: string;
  /** Extra settings as `name=value`. */
  readonly settings?: readonly string[];
  /** False writes through to the disk, as a server does that matters. */
  readonly throwaway?: boolean;
}

export interface EmbeddedPostgres {
  readonly port: number;
  readonly directory: string;
  /** Connection string of a login; with its password where the server asks for one. */
  readonly url: (login?: string, database?: string, password?: string) => string;
  /** Fast shutdown; removes the data directory. */
  readonly stop: () => Promise<void>;
  /** Immediate shutdown, as in a crash: the next `restart` recovers. */
  readonly crash: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

const SUPERUSER = "postgres";
const START_TRIES = 5;
const READY_MS = 30_000;

/** @throws WapError where the server cannot be made or does not start. */
export async function startEmbeddedPostgres(options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  const native = runnableBinaries(options.native ?? packagedBinaries());
  const directory = serverDirectory("wap-pg-");
  const cluster = join(directory, "data");
  initialise(native, directory, cluster, options);

  let server: ChildProcess | null = null;
  let port = 0;
  const start = async (): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      port = port === 0 ? await freePort() : port;
      try {
        server = await launch(native, directory, cluster, port, options);
        return;
      } catch (error) {
        if (attempt >= START_TRIES) throw error;
        port = 0;
      }
    }
  };
  const end = async (signal: "SIGINT" | "SIGQUIT"): Promise<void> => {
    const running = server;
    server = null;
    if (running === null || running.exitCode !== null) return;
    running.ref();
    const gone = new Promise((resolve) => running.once("exit", resolve));
    running.kill(signal);
    await gone;
  };
  // The server must not outlive us, however we end.
  const atExit = (): void => {
    server?.kill("SIGQUIT");
  };
  process.once("exit", atExit);
  await start();
  return {
    get port() {
      return port;
    },
    directory,
    url: (login = SUPERUSER, database = "postgres", password = login === SUPERUSER ? options.password : undefined) =>
      `postgres://${encodeURIComponent(login)}${password === undefined ? "" : `:${encodeURIComponent(password)}`}@127.0.0.1:${port}/${encodeURIComponent(database)}`,
    stop: async () => {
      await end("SIGINT");
      process.removeListener("exit", atExit);
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    },
    crash: () => end("SIGQUIT"),
    restart: start,
  };
}

function initialise(native: string, directory: string, cluster: string, options: EmbeddedOptions): void {
  const auth = options.auth ?? "trust";
  const args = ["-D", cluster, "-U", SUPERUSER, "-A", auth, "--no-sync", "--locale=C", "-E", "UTF8"];
  if (auth !== "trust") {
    if (options.password === undefined) throw new WapError("internal", "a server that asks for passwords needs the superuser's");
    const file = join(directory, "password");
    writeFileSync(file, options.password);
    args.push(`--pwfile=${file}`);
  }
  const made = spawnSync(join(native, "bin", "initdb"), args, { ...serverIds(), cwd: directory, encoding: "utf8" });
  if (auth !== "trust") rmSync(join(directory, "password"), { force: true });
  if (made.status !== 0) {
    throw new WapError("database_error", `initdb failed: ${made.error?.message ?? made.stderr.trim().split("\n").at(-1) ?? "no message"}`);
  }
}

function launch(native: string, directory: string, cluster: string, port: number, options: EmbeddedOptions): Promise<ChildProcess> {
  const settings = ["listen_addresses=127.0.0.1", "max_connections=100", ...(options.throwaway === false ? [] : ["fsync=off"]), ...(options.settings ?? [])];
  const sockets = process.platform === "win32" ? [] : ["-k", directory];
  const server = spawn(join(native, "bin", "postgres"), ["-D", cluster, "-p", `${port}`, ...sockets, ...settings.flatMap((setting) => ["-c", setting])], {
    ...serverIds(),
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
  });
  return new Promise((resolve, reject) => {
    let said = "";
    const failed = (why: string): void => {
      clearTimeout(timer);
      server.kill("SIGQUIT");
      reject(new WapError("database_error", `the embedded server did not start: ${why}`));
    };
    const timer = setTimeout(() => failed("no answer in time"), READY_MS);
    server.once("error", (error) => failed(error.message));
    server.once("exit", () => failed(said.trim().split("\n").at(-1) ?? "it ended"));
    let ready = false;
    server.stderr.on("data", (chunk: Buffer) => {
      if (ready) return;
      said = (said + chunk.toString("utf8")).slice(-4000);
      if (!said.includes("ready to accept connections")) return;
      ready = true;
      clearTimeout(timer);
      server.removeAllListeners("exit");
      server.unref();
      resolve(server);
    });
  });
}

/** A loopback port that was free a moment ago; a collision is met by another try. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}
