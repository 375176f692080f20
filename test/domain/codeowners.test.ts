// GitHub's own rules for CODEOWNERS (docs.github.com: About code owners), case by case.
import { describe, expect, test } from "vitest";
import { CODEOWNERS_LIMIT, parseCodeowners, rulingFor } from "../../src/domain/codeowners.ts";

const ownersOf = (file: string, path: string): readonly string[] =>
  rulingFor(path, parseCodeowners(file))?.owners ?? [];

describe("the last line that matches decides", () => {
  test.each([
    ["* @a\n*.sql @b\n", "x/y.sql", ["@b"]],
    ["*.sql @b\n* @a\n", "x/y.sql", ["@a"]],
    ["* @a @acme/data ops@example.com\n", "x", ["@a", "@acme/data", "ops@example.com"]],
    ["/apps/ @o\n/apps/github\n", "apps/github", []],
    ["/apps/ @o\n/apps/github\n", "apps/github/x", []],
    ["/apps/ @o\n/apps/github @d\n", "apps/github/x", ["@d"]],
  ])("%j gives %s to %j", (file, path, owners) => {
    expect(ownersOf(file, path)).toEqual(owners);
  });

  test("and its line in the file is known", () => {
    const file = parseCodeowners("# who\n\n* @a\r\n  # more\n/contracts/ @b # why\n");
    expect(rulingFor("contracts/x.yml", file)).toMatchObject({
      line: 5,
      pattern: "/contracts/",
      owners: ["@b"],
    });
    expect(rulingFor("readme", file)).toMatchObject({ line: 3, owners: ["@a"] });
    expect(rulingFor("x", parseCodeowners("/y @a"))).toBeNull();
  });
});

describe("patterns", () => {
  test.each([
    ["/build/logs/", "build/logs/x/y.log", true],
    ["/build/logs/", "z/build/logs/x", false],
    ["build/logs/", "z/build/logs/x", false],
    ["logs/", "z/build/logs/x", true],
    ["logs/", "logs", false],
    ["docs/*", "docs/start.md", true],
    ["docs/*", "docs/build/x.md", false],
    ["docs/**", "docs/build/x.md", true],
    ["*", "a/b/c", true],
    ["**", "a/b/c", true],
    ["**/logs", "build/logs/x", true],
    ["**/logs", "logs/x", true],
    ["/foo", "foo/bar", true],
    ["/foo", "foobar", false],
    ["foo", "a/foo/bar", true],
    ["*.txt", "a/b.txt", true],
    ["*.txt", "a/b.txt.gz", false],
    ["/*.txt", "a/b.txt", false],
    ["/tables/**/orders.sql", "tables/orders.sql", true],
    ["/tables/**/orders.sql", "tables/a/b/orders.sql", true],
    ["/tables/**/orders.sql", "tables/a/reorders.sql", false],
    ["/x/**", "x/a/b", true],
    ["/x/**", "x", false],
    ["/a\\ b.txt", "a b.txt", true],
    ["/a?c", "abc", true],
    ["/a?c", "a/c", false],
    ["/a.c", "abc", false],
    ["/a+(b)", "a+(b)", true],
    ["/Dir/", "dir/x", false],
    ["/ä/", "ä/x", true],
  ])("%s on %s: %s", (pattern, path, matches) => {
    expect(ownersOf(`${pattern} @a\n`, path)).toEqual(matches ? ["@a"] : []);
  });
});

describe("what GitHub does not understand is skipped, and said", () => {
  test.each([
    ["a negation", "!x.js @n"],
    ["an escaped number sign", "\\#x.js @n"],
    ["a range", "*.[jt]s @n"],
    ["a section of GitLab's", "[Section] @n"],
    ["an owner that is none", "x.js lena"],
    ["an owner with two slashes", "x.js @a/b/c"],
    ["a bare at sign", "x.js @"],
  ])("%s", (_, line) => {
    const file = parseCodeowners(`* @a\n${line}\n`);
    expect(rulingFor("x.js", file)?.owners).toEqual(["@a"]);
    expect(file.problems).toMatchObject([{ line: 2 }]);
  });

  test("a byte order mark and old line ends are no part of a line", () => {
    expect(ownersOf("\uFEFF/x @a\r/y @b\r\n", "x")).toEqual(["@a"]);
    expect(ownersOf("\uFEFF/x @a\r/y @b\r\n", "y")).toEqual(["@b"]);
  });

  test("a file of 3 MB is not loaded, and owns nothing", () => {
    const file = parseCodeowners(`* @a\n#${"x".repeat(CODEOWNERS_LIMIT)}`);
    expect(file.rules).toEqual([]);
    expect(file.problems).toHaveLength(1);
  });

  test("a pattern with many stars is matched in no time", () => {
    const path = `${"a/".repeat(60)}b`;
    const started = performance.now();
    expect(ownersOf(`${"**/".repeat(30)}x*y*z @a`, path)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
