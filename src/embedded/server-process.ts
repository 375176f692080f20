// One `postgres` process: started, watched so that it never outlives us, and ended by its process id.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createServer, Socket } from "node:net";
import { join } from "node:path";
import { WapError } from "../domain/errors.ts";
import { serverIds } from "./binaries.ts";

export interface ServerPlace {
  /** Folder `native` of runnable binaries. */
  readonly native: string;
  /** The server's own directory; it goes when we die. */
  readonly directory: string;
  /** The data directory, inside it. */
  readonly cluster: string;
}

const READY_MS = 30_000;
const STOP_MS = 20_000;
const onWindows = process.platform === "win32";

/** The server needs nothing of our environment, and our environment holds credentials. */
export const serverEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    ["PATH", "TMPDIR", "TEMP", "TMP", "SystemRoot"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Starts the server and waits until it answers. @throws WapError database_error with the server's last word. */
export async function launch(
  place: ServerPlace,
  port: number,
  settings: readonly string[],
): Promise<ChildProcess> {
  const sockets = onWindows ? [] : ["-k", place.directory];
  const options = settings.flatMap((setting) => ["-c", setting]);
  const server = spawn(
    join(place.native, "bin", "postgres"),
    ["-D", place.cluster, "-p", `${port}`, ...sockets, ...options],
    {
      ...serverIds(),
      cwd: place.directory,
      env: serverEnvironment(),
      stdio: ["ignore", "ignore", "pipe"],
      // A Ctrl-C is for us: we end the server when we are done with it.
      detached: !onWindows,
      windowsHide: true,
    },
  );
  await ready(server);
  guard(server, place);
  // Neither the process nor its pipe keeps ours alive.
  server.unref();
  if (server.stderr instanceof Socket) server.stderr.unref();
  return server;
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const settle = (why: string | null): void => {
      clearTimeout(timer);
      server.removeListener("exit", exited);
      server.removeListener("error", broken);
      server.stderr?.removeListener("data", heard);
      // Read and dropped from here on: a full pipe would stop the server.
      server.stderr?.resume();
      if (why === null) {
        resolve();
        return;
      }
      if (server.pid !== undefined && !hasEnded(server)) server.kill("SIGQUIT");
      reject(new WapError("database_error", `the embedded server did not start: ${why}`));
    };
    const exited = (): void => settle(said.trim().split("\n").at(-1) || "it ended without a word");
    const broken = (error: Error): void => settle(error.message);
    const heard = (chunk: Buffer): void => {
      said = (said + chunk.toString("utf8")).slice(-4000);
      if (said.includes("ready to accept connections")) settle(null);
    };
    const timer = setTimeout(() => settle("no answer in time"), READY_MS);
    server.once("exit", exited);
    server.once("error", broken);
    server.stderr?.on("data", heard);
  });
}

/**
 * Ends the server when our process is gone, however it went: a shell waits for the end of a pipe that only we hold open. Where there is
 * no such shell, an exit hook does what it can.
 */
function guard(server: ChildProcess, place: ServerPlace): void {
  if (server.pid === undefined) return;
  if (onWindows) {
    const atExit = (): void => {
      server.kill();
    };
    process.once("exit", atExit);
    server.once("exit", () => process.removeListener("exit", atExit));
    return;
  }
  const watch = 'read -r _; kill -QUIT "$1" 2>/dev/null; sleep 1; rm -rf -- "$2"';
  const shell = spawn("/bin/sh", ["-c", watch, "wap-guard", `${server.pid}`, place.directory], {
    ...serverIds(),
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without a guard the server still ends by `end`; nothing else to do about it here.
  shell.on("error", () => undefined);
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  server.once("exit", () => shell.kill("SIGKILL"));
}

/** Ends the server: `fast` disconnects everyone and writes what is due, `immediate` is a crash. */
export async function end(
  place: ServerPlace,
  server: ChildProcess,
  how: "fast" | "immediate",
): Promise<void> {
  if (hasEnded(server)) return;
  server.ref();
  const gone = new Promise<void>((resolve) => {
    server.once("exit", () => resolve());
  });
  // Windows has no signals that the server could tell apart.
  if (onWindows)
    spawnSync(join(place.native, "bin", "pg_ctl"), ["stop", "-D", place.cluster, "-m", how, "-W"], {
      env: serverEnvironment(),
      windowsHide: true,
    });
  else server.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
  const impatient = setTimeout(() => server.kill("SIGQUIT"), STOP_MS);
  await gone;
  clearTimeout(impatient);
}

/** A loopback port that was free a moment ago; a collision is met by another try. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null
          ? resolve(address.port)
          : reject(new Error("no port")),
      );
    });
  });
}
