// A PostgreSQL server of our own for the demo and the tests: loopback only, an ephemeral port, gone when we are.
import { type ChildProcess, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WapError } from "../domain/errors.ts";
import { packagedBinaries, runnableBinaries, serverDirectory, serverIds } from "./binaries.ts";
import { end, freePort, launch, type ServerPlace, serverEnvironment } from "./server-process.ts";

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
  /** Of the running server; a restart may have to take another. */
  readonly port: number;
  /** Process id of the running server; null after `crash` and `stop`. */
  readonly pid: number | null;
  readonly directory: string;
  /** Connection string of a login; with its password where the server asks for one. */
  readonly url: (login?: string, database?: string, password?: string) => string;
  /** Fast shutdown; removes the data directory. */
  readonly stop: () => Promise<void>;
  /** Immediate shutdown, as in a crash: the next `restart` recovers. */
  readonly crash: () => Promise<void>;
  /** Starts again on the same data; shuts down first where the server still runs. */
  readonly restart: () => Promise<void>;
}

const SUPERUSER = "postgres";
const START_TRIES = 5;

/** @throws WapError where the server cannot be made or does not start. */
export async function startEmbeddedPostgres(options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  const native = runnableBinaries(options.native ?? packagedBinaries());
  const directory = serverDirectory("wap-pg-");
  const place: ServerPlace = { native, directory, cluster: join(directory, "data") };
  const remove = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });

  let server: ChildProcess | null = null;
  let port = 0;
  const start = async (): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      if (port === 0) port = await freePort();
      try {
        server = await launch(place, port, settingsOf(options));
        return;
      } catch (error) {
        if (attempt >= START_TRIES) throw error;
        port = 0;
      }
    }
  };
  const endServer = async (how: "fast" | "immediate"): Promise<void> => {
    const running = server;
    server = null;
    if (running !== null) await end(place, running, how);
  };

  try {
    initialise(place, options);
    await start();
  } catch (error) {
    remove();
    throw error;
  }
  return {
    get port() {
      return port;
    },
    get pid() {
      return server?.pid ?? null;
    },
    directory,
    url: (
      login = SUPERUSER,
      database = "postgres",
      password = login === SUPERUSER ? options.password : undefined,
    ) => {
      const secret = password === undefined ? "" : `:${encodeURIComponent(password)}`;
      return `postgres://${encodeURIComponent(login)}${secret}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
    },
    stop: async () => {
      await endServer("fast");
      remove();
    },
    crash: () => endServer("immediate"),
    restart: async () => {
      await endServer("fast");
      await start();
    },
  };
}

const settingsOf = (options: EmbeddedOptions): string[] => [
  "listen_addresses=127.0.0.1",
  "max_connections=100",
  ...(options.throwaway === false ? [] : ["fsync=off"]),
  ...(options.settings ?? []),
];

function initialise({ native, directory, cluster }: ServerPlace, options: EmbeddedOptions): void {
  const auth = options.auth ?? "trust";
  const args = ["-D", cluster, "-U", SUPERUSER, "-A", auth, "--no-sync", "--locale=C", "-E", "UTF8"];
  const passwordFile = join(directory, "password");
  if (auth !== "trust") {
    if (options.password === undefined || options.password === "")
      throw new WapError("internal", "a server that asks for passwords needs the superuser's");
    // The directory is the server's own and closed to everyone else.
    writeFileSync(passwordFile, options.password);
    args.push(`--pwfile=${passwordFile}`);
  }
  const made = spawnSync(join(native, "bin", "initdb"), args, {
    ...serverIds(),
    cwd: directory,
    env: serverEnvironment(),
    encoding: "utf8",
    windowsHide: true,
  });
  rmSync(passwordFile, { force: true });
  if (made.status === 0) return;
  const why = made.error?.message ?? (made.stderr.trim().split("\n").at(-1) || "it ended without a word");
  throw new WapError("database_error", `initdb failed: ${why}`);
}
