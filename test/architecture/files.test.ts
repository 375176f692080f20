// Files and names: small, one concept each, and nothing of the machine on which they were written.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REASONS } from "../../src/domain/outcome.ts";
import { filesLike, ROOT, sources } from "./sources.ts";

/** Path → why the file may be longer than 300 lines. */
const LONG: Readonly<Record<string, string>> = {};

const hasText = (path: string): boolean => !/\.(?:gz|png|wasm)$/.test(path);

/** Every file that is, or will be, committed; generated ones as well. */
const committed = (): string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
  })
    .split("\0")
    .filter((path) => path !== "" && hasText(path) && existsSync(join(ROOT, path)));

const lines = (text: string): number => text.split("\n").length - 1;

test("no hand-written source file is longer than 300 lines without a reason", () => {
  const files = [
    ...sources(),
    ...filesLike("src/**/*.sql"),
    ...filesLike("scripts/*"),
    ...filesLike("bench/**/*.ts"),
  ];
  expect(files.length).toBeGreaterThan(100);
  expect(
    files
      .filter(({ path, text }) => lines(text) > 300 && LONG[path] === undefined)
      .map(({ path, text }) => `${path}: ${lines(text)}`),
  ).toEqual([]);
  expect(
    Object.keys(LONG).filter((path) => !files.some((file) => file.path === path && lines(file.text) > 300)),
  ).toEqual([]);
});

test("every source file begins with a line on what lives in it", () => {
  const silent = sources().filter(({ text }) => !/^\/\/ \S/.test(text.replace(/^#!.*\n/, "")));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

const EMPTY_WORD = /^(?:utils?|helpers?|managers?|services?|processors?|misc|common|lib|stuff|attic)$/i;

test("no file, folder or exported name says nothing", () => {
  const named = [...sources(), ...filesLike("test/**/*.ts"), ...filesLike("scripts/*")];
  const words = (name: string): string[] => name.split(/[-_.]|(?<=[a-z\d])(?=[A-Z])/);
  const files = named.flatMap(({ path }) =>
    path.split("/").some((part) => words(part).some((word) => EMPTY_WORD.test(word))) ? [path] : [],
  );
  const symbols = named.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function|class|interface|type|const) (\w+)/gm)]
      .map((match) => match[1] ?? "")
      .filter((name) => words(name).some((word) => EMPTY_WORD.test(word)))
      .map((name) => `${path}: ${name}`),
  );
  expect([...files, ...symbols]).toEqual([]);
});

test("no file holds a path of a machine, a registry's host or a left-over", () => {
  const marks: readonly (readonly [string, RegExp])[] = [
    ["a path of a machine", /(?:^|[^\w.-])\/(?:work|root|farm|home\/\w+|Users\/\w+)\//m],
    [
      "a registry's host",
      new RegExp(
        [
          "registry\\.npmjs\\.org",
          "registry\\.yarnpkg\\.com",
          "pypi\\.org\\/simple",
          "proxy\\.golang\\.org",
        ].join("|"),
      ),
    ],
    // Written apart, so that this file is none of them.
    ["a left-over", new RegExp(`\\b(?:${["TO" + "DO", "FIX" + "ME"].join("|")})\\b`)],
    ["a test that alone is run", new RegExp(`\\b(?:test|it|describe)\\.${"on" + "ly"}\\(`)],
  ];
  const found: string[] = [];
  for (const path of committed()) {
    if (path === "package-lock.json" || path.startsWith("dist/")) continue;
    const text = readFileSync(join(ROOT, path), "utf8");
    for (const [what, mark] of marks) {
      const place = path === "test/architecture/files.test.ts" ? null : mark.exec(text);
      if (place !== null) found.push(`${path}:${text.slice(0, place.index).split("\n").length}: ${what}`);
    }
  }
  expect(found).toEqual([]);
});

test("every reason code is used somewhere, and no other is written where one belongs", () => {
  const texts = [...sources(), ...filesLike("src/**/*.sql")]
    .filter(({ path }) => path !== "src/domain/outcome.ts")
    .map(({ text }) => text);
  const unused = Object.keys(REASONS).filter(
    (code) => !texts.some((text) => new RegExp(`["'\`]${code}["'\`]`).test(text)),
  );
  expect(unused).toEqual([]);
});

test("a remedy is one sentence for a person", () => {
  const odd = Object.entries(REASONS).filter(
    ([, { next }]) => !/^[A-Z`w].*\.$/.test(next) || next.includes("\n"),
  );
  expect(odd.map(([code]) => code)).toEqual([]);
});
