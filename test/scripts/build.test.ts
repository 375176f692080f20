// The bundles: the same bytes wherever they are built, nothing of the machine in them, and no need of node_modules.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
let elsewhere: string;

/** A copy of everything that is built from, in another folder; packages are the same ones. */
beforeAll(() => {
  elsewhere = mkdtempSync(join(tmpdir(), "wap-elsewhere-"));
  for (const path of [
    "src",
    "scripts",
    "contracts",
    "docs",
    "test/fixtures/github",
    "package.json",
    "README.md",
    "action.yml",
  ]) {
    cpSync(join(ROOT, path), join(elsewhere, path), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(elsewhere, "node_modules"), "dir");
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: elsewhere });
});
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

const hash = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

describe("the bundles", () => {
  test("hold the same bytes when they are built again in another folder", () => {
    const third = mkdtempSync(join(tmpdir(), "wap-a-longer-name-"));
    try {
      for (const path of ["src", "scripts", "package.json"])
        cpSync(join(elsewhere, path), join(third, path), { recursive: true });
      symlinkSync(join(ROOT, "node_modules"), join(third, "node_modules"), "dir");
      execFileSync(process.execPath, [join(third, "scripts/build.mjs")], { cwd: tmpdir() });
      const files = readdirSync(join(third, "dist")).toSorted();
      expect(files).toEqual(["cli.js", "index.js", "package.json"]);
      for (const file of files)
        expect(hash(join(third, "dist", file)), file).toBe(hash(join(elsewhere, "dist", file)));
    } finally {
      rmSync(third, { recursive: true, force: true });
    }
  });

  test.each(["cli.js", "index.js"])("name no folder of the machine that built them: %s", (file) => {
    const text = readFileSync(join(elsewhere, "dist", file), "utf8");
    for (const place of [ROOT, elsewhere, homedir()].filter((path) => path.length > 5))
      expect(text.includes(place), place).toBe(false);
  });

  test("carry the grammar inside: none looks for its file", () => {
    const text = readFileSync(join(elsewhere, "dist", "cli.js"), "utf8");
    expect(text.includes("libpg-query/wasm/libpg-query.wasm")).toBe(false);
    // gzip's header in base64, as the build writes it.
    expect(text).toMatch(/"H4sI[A-Za-z0-9+/]{1000}/);
  });

  test("are two programs: the command line loads no toolkit of the Action, and the Action no command line", () => {
    const [cli, action] = ["cli.js", "index.js"].map((file) =>
      readFileSync(join(elsewhere, "dist", file), "utf8"),
    );
    expect(action).toContain("add-mask");
    expect(cli).not.toContain("add-mask");
    expect(cli).toContain("allowExcessArguments");
    expect(action).not.toContain("allowExcessArguments");
  });
});

describe("away from node_modules", () => {
  let bare: string;
  beforeAll(() => {
    bare = mkdtempSync(join(tmpdir(), "wap-bare-"));
    cpSync(join(elsewhere, "dist"), join(bare, "dist"), { recursive: true });
    cpSync(join(ROOT, "contracts"), join(bare, "contracts"), { recursive: true });
  });
  afterAll(() => rmSync(bare, { recursive: true, force: true }));
  const wap = (...args: string[]): ReturnType<typeof spawnSync> =>
    spawnSync(join(bare, "dist", "cli.js"), args, {
      cwd: bare,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], NO_COLOR: "1" },
    });

  test("the command line starts as a program of its own and says its version", () => {
    const { status, stdout } = wap("--version");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("it validates a contract", () => {
    expect(wap("validate", "contracts/flights/flights.yml")).toMatchObject({ status: 0 });
  });

  test("the Action says in one sentence that it belongs in a workflow", () => {
    const { status, stdout } = spawnSync(process.execPath, [join(bare, "dist", "index.js")], {
      cwd: bare,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    expect(status).toBe(1);
    expect(stdout).toMatch(/::error::.*GITHUB_EVENT_PATH/);
  });
});

test("a build that fails leaves what was built before", () => {
  const before = hash(join(elsewhere, "dist/cli.js"));
  const main = readFileSync(join(elsewhere, "src/cli/main.ts"), "utf8");
  writeFileSync(join(elsewhere, "src/cli/main.ts"), "import './nowhere.ts';\n");
  try {
    expect(spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: elsewhere }).status).not.toBe(0);
    expect(hash(join(elsewhere, "dist/cli.js"))).toBe(before);
  } finally {
    writeFileSync(join(elsewhere, "src/cli/main.ts"), main);
  }
});

describe("the check of generated files", () => {
  const check = (): { status: number | null; stderr: string } =>
    spawnSync(process.execPath, ["scripts/check-generated.mjs"], { cwd: elsewhere, encoding: "utf8" });

  test("passes on what the generator just wrote, and then names each file that differs, a stray one in dist too", () => {
    execFileSync(process.execPath, ["scripts/generate.mjs"], { cwd: elsewhere });
    expect(check()).toMatchObject({ status: 0 });

    writeFileSync(join(elsewhere, "src/engines/postgres/queries/extra.sql"), "SELECT 1;\n");
    writeFileSync(join(elsewhere, "dist/stray.js"), "");
    writeFileSync(join(elsewhere, "docs/reason-codes.md"), "nothing\n");
    writeFileSync(
      join(elsewhere, "action.yml"),
      readFileSync(join(elsewhere, "action.yml"), "utf8").replace(
        "Whether to stop before anything is written.",
        "Another sentence.",
      ),
    );
    const { status, stderr } = check();
    expect(status).toBe(1);
    for (const path of [
      "src/generated/sql.ts",
      "docs/reason-codes.md",
      "README.md",
      "dist/stray.js (not made by the build)",
    ])
      expect(stderr).toContain(`  ${path}\n`);
    expect(stderr).not.toContain("contract.schema.json");

    rmSync(join(elsewhere, "dist"), { recursive: true });
    expect(check().stderr).toContain("  dist/cli.js\n");
  });
});
