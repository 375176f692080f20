// The runnable copy of the binaries: made from what a package manager left, safe in a directory that is everyone's.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runnableBinaries } from "../../src/embedded/binaries.ts";

let directory: string;
let temporary: string;
let before: string | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "wap-binaries-"));
  temporary = join(directory, "tmp");
  mkdirSync(temporary);
  for (const open of [directory, temporary]) chmodSync(open, 0o755);
  before = process.env["TMPDIR"];
  process.env["TMPDIR"] = temporary;
});
afterEach(() => {
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  rmSync(directory, { recursive: true, force: true });
});

/** A package as a package manager leaves it that runs no install scripts: no links, no permissions. */
function installed(version = "1.0.0"): string {
  const native = join(directory, "package", "native");
  mkdirSync(join(native, "bin"), { recursive: true });
  mkdirSync(join(native, "lib"), { recursive: true });
  writeFileSync(join(directory, "package", "package.json"), JSON.stringify({ version }));
  writeFileSync(join(native, "bin", "postgres"), "the program", { mode: 0o600 });
  writeFileSync(join(native, "lib", "libicuuc.so.60.2"), "the library", { mode: 0o600 });
  writeFileSync(
    join(native, "pg-symlinks.json"),
    JSON.stringify([{ source: "native/lib/libicuuc.so.60.2", target: "native/lib/libicuuc.so.60" }]),
  );
  return native;
}

test("the links that an install script would have made lead to their library, inside the copy", () => {
  const copy = runnableBinaries(installed());
  expect(readFileSync(join(copy, "lib", "libicuuc.so.60"), "utf8")).toBe("the library");
  expect(isAbsolute(readlinkSync(join(copy, "lib", "libicuuc.so.60")))).toBe(false);
});

test("links that were made already stay relative, so that the copy needs the original no more", () => {
  const native = installed();
  symlinkSync("libicuuc.so.60.2", join(native, "lib", "libicuuc.so.60"));
  const copy = runnableBinaries(native);
  rmSync(native, { recursive: true });
  expect(readFileSync(join(copy, "lib", "libicuuc.so.60"), "utf8")).toBe("the library");
});

test("programs may be run and libraries read by everyone, whatever the installer's umask", () => {
  const copy = runnableBinaries(installed());
  expect(lstatSync(join(copy, "bin", "postgres")).mode & 0o777).toBe(0o755);
  expect(lstatSync(join(copy, "lib", "libicuuc.so.60.2")).mode & 0o777).toBe(0o644);
});

test("the package's own folder is left as it was", () => {
  const native = installed();
  runnableBinaries(native);
  expect(existsSync(join(native, "lib", "libicuuc.so.60"))).toBe(false);
  expect(lstatSync(join(native, "bin", "postgres")).mode & 0o777).toBe(0o600);
});

test("a second call takes the same copy, another version another one", () => {
  const first = runnableBinaries(installed());
  expect(runnableBinaries(installed())).toBe(first);
  expect(runnableBinaries(installed("1.0.1"))).not.toBe(first);
});

test("a copy that somebody else may write to is not run", () => {
  const native = installed();
  const home = join(runnableBinaries(native), "..");
  chmodSync(home, 0o777);
  expect(() => runnableBinaries(native)).toThrow(/belongs to somebody else/);
});

test("a link in the copy's place is not followed", () => {
  const native = installed();
  const home = join(runnableBinaries(native), "..");
  rmSync(home, { recursive: true });
  mkdirSync(join(directory, "elsewhere"));
  symlinkSync(join(directory, "elsewhere"), home);
  expect(() => runnableBinaries(native)).toThrow(/belongs to somebody else/);
});

test("a folder without binaries is named", () => {
  expect(() => runnableBinaries(join(directory, "nothing"))).toThrow(/nothing cannot be made runnable/);
});

test.skipIf(process.getuid?.() !== 0)(
  "as root a temporary directory that the server's user cannot reach is passed over",
  () => {
    chmodSync(temporary, 0o700);
    expect(runnableBinaries(installed()).startsWith(temporary)).toBe(false);
  },
);
