// Who may import whom (design: architecture). Arrows point from the outside to the domain and never back.
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { filesLike, type SourceFile, sourceFile, sources } from "./sources.ts";

const MIDDLE = ["steps", "engines", "sources", "github", "evidence", "contracts", "embedded"];
const INWARD = ["ports.ts", "domain", "generated"];

/** What each part of src may import besides itself; a part that is not listed here is a part that nobody thought about. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  generated: [],
  "ports.ts": ["domain"],
  ...Object.fromEntries(MIDDLE.map((part) => [part, INWARD])),
  "contract-paths.ts": ["domain"],
  // The only place that names concrete engines, sources and clients.
  "compose.ts": [...MIDDLE, ...INWARD],
  demo: ["compose.ts", "embedded", "evidence", ...INWARD],
  // What they print and read; never an engine, a source or a server.
  action: ["compose.ts", "contract-paths.ts", "contracts", "evidence", "github", "steps", ...INWARD],
  cli: ["compose.ts", "contract-paths.ts", "contracts", "evidence", "steps", "demo", ...INWARD],
};

/** Packages that belong to one part alone. */
const OWNED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^@actions\/core/, ["action"]],
  [/^@actions\/github|^@octokit\//, ["github"]],
  [/^commander$/, ["cli"]],
  [/^pg(?:-|$)/, ["engines", "demo"]],
  [/^libpg-query/, ["engines"]],
  [/^yaml$/, ["contracts"]],
];

const partOf = (path: string): string => path.split("/")[1] ?? "";

/** Every import that the rules forbid, as `file → target`. */
function wrongImports(files: readonly SourceFile[]): string[] {
  const wrong: string[] = [];
  for (const { path, imports } of files) {
    const part = partOf(path);
    const allowed = MAY_IMPORT[part];
    if (allowed === undefined) wrong.push(`${path} lies in a part without rules`);
    for (const target of imports) {
      if (target.startsWith("src/")) {
        if (partOf(target) !== part && !(allowed ?? []).includes(partOf(target)))
          wrong.push(`${path} → ${target}`);
        if (
          path.startsWith("src/engines/") &&
          target.startsWith("src/engines/") &&
          path.split("/")[2] !== target.split("/")[2]
        )
          wrong.push(`${path} → ${target}: one engine imports another`);
      } else {
        if (part === "domain" && target !== "zod" && target !== "node:crypto")
          wrong.push(`${path} → ${target}`);
        for (const [name, owners] of OWNED)
          if (name.test(target) && !owners.includes(part)) wrong.push(`${path} → ${target}`);
        if (part === "evidence" && /^node:(?:fs|http|net|child_process)/.test(target))
          wrong.push(`${path} → ${target}: evidence writes nothing`);
      }
    }
  }
  return wrong;
}

/** The first circle of imports, as its files. */
function circle(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): string[] => {
    if (above.includes(path)) return [...above.slice(above.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const target of byPath.get(path)?.imports ?? []) {
      const found = visit(target, [...above, path]);
      if (found.length > 0) return found;
    }
    done.add(path);
    return [];
  };
  for (const { path } of files) {
    const found = visit(path, []);
    if (found.length > 0) return found;
  }
  return [];
}

test("every import points inwards", () => {
  const files = sources();
  expect(files.length).toBeGreaterThan(100);
  expect(wrongImports(files)).toEqual([]);
});

test("no imports go round in a circle", () => expect(circle(sources())).toEqual([]));

test("every package that is imported is a dependency of ours, at an exact version", () => {
  const { dependencies } = manifest;
  const used = new Set(
    sources()
      .flatMap(({ imports }) => imports)
      .filter((name) => !name.startsWith("src/") && !name.startsWith("node:") && name !== "package.json")
      .map((name) =>
        name
          .split("/")
          .slice(0, name.startsWith("@") ? 2 : 1)
          .join("/"),
      ),
  );
  expect([...used].filter((name) => !Object.hasOwn(dependencies, name))).toEqual([]);
  expect(Object.entries(dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("the environment is read by entry points alone: everything else is handed what it needs", () => {
  const readers = sources().filter(({ text }) => /\bprocess\.env\b/.test(text));
  // The embedded server and the demo's jobs pass PATH on to what they start.
  const known =
    /^src\/(?:compose|(?:action|cli)\/(?:main|context|program)|embedded\/server-process|demo\/job)\.ts$/;
  expect(readers.map(({ path }) => path).filter((path) => !known.test(path))).toEqual([]);
});

describe("the rules themselves see", () => {
  test.each([
    ["src/domain/a.ts", 'import { x } from "../ports.ts";'],
    ["src/domain/a.ts", 'import { readFile } from "node:fs";'],
    ["src/steps/a.ts", 'import type { X } from "../engines/postgres/b.ts";'],
    ["src/github/a.ts", 'export { x } from "../evidence/b.ts";'],
    ["src/engines/postgres/a.ts", 'import { x } from "../duckdb/b.ts";'],
    ["src/ports.ts", 'import { x } from "./compose.ts";'],
    ["src/cli/a.ts", 'const x = await import("../engines/postgres/b.ts");'],
    ["src/action/a.ts", 'import pg from "pg";'],
    ["src/evidence/a.ts", 'import { writeFile } from "node:fs/promises";'],
    ["src/attic/a.ts", ""],
  ])("what is wrong in %s: %s", (path, text) =>
    expect(wrongImports([sourceFile(path, text)])).toHaveLength(1),
  );

  test("a circle", () => {
    const files = [
      sourceFile("src/domain/a.ts", 'import "./b.ts";'),
      sourceFile("src/domain/b.ts", 'import "./a.ts";'),
    ];
    expect(circle(files)).toEqual(["src/domain/a.ts", "src/domain/b.ts", "src/domain/a.ts"]);
  });

  test("tests as well: none imports a stand-in for pg", () => {
    expect(
      filesLike("test/**/*.ts").filter(
        ({ text, imports }) => imports.includes("vitest") && /vi\.mock\(\s*["']pg/.test(text),
      ),
    ).toEqual([]);
  });
});
