// report.html: one file without script or network, failures first, the evidence inside (design: ux 3).
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { evidenceSchema } from "../../src/domain/evidence.ts";
import { evidenceDigest, evidenceOf } from "../../src/evidence/bundle.ts";
import { reportHtml } from "../../src/evidence/report.ts";
import { failed, passed, RUNS, rolledBack } from "./examples.ts";

describe("report.html", () => {
  const pages = Object.entries(RUNS).map(([name, run]) => [name, reportHtml(run)] as const);

  test.each(pages)("%s: one file, no script, nothing from the network, styles by their hash", (_, page) => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|\bstyle=|@import|url\(/i);
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(page).toContain(
      `content="default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"`,
    );
    expect(page.length).toBeLessThan(60_000);
    expect(page).not.toMatch(/undefined|NaN|\[object/);
  });

  test.each(pages)(
    "%s: every element is closed, every section has an id, and the index leads to it",
    (_, page) => {
      const open: string[] = [];
      const wrong: string[] = [];
      for (const [, slash, tag = "", self] of page
        .replace(/<!doctype html>/, "")
        .matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/g)) {
        if (["meta", "input", "br", "hr"].includes(tag) || self === "/") continue;
        if (slash === "") open.push(tag);
        else if (open.pop() !== tag) wrong.push(tag);
      }
      expect([open, wrong]).toEqual([[], []]);
      for (const [, id = ""] of page.matchAll(/href="#([\w-]+)"/g)) expect(page).toContain(`id="${id}"`);
      expect(new Set(page.match(/ id="[^"]+"/g)).size).toBe(page.match(/ id="[^"]+"/g)?.length);
    },
  );

  test("failed audits come first, and open", () => {
    const page = reportHtml(failed);
    expect(page.indexOf('<section id="failed">')).toBeLessThan(page.indexOf('<section id="ledger">'));
    expect(page.match(/<details open class="failure">/g)).toHaveLength(3);
    expect(reportHtml(passed)).not.toContain('id="failed"');
  });

  test("each image says in a sentence what it shows, each bar has a title, and the numbers stand in a table", () => {
    const page = reportHtml(passed);
    expect(page).toContain(
      'role="img" aria-label="Where 48\u202f512 records went: 48\u202f512 parsed, 0 rejected, 48\u202f512 landed, 313 left out: deleted_play',
    );
    expect(page.match(/<svg/g)).toHaveLength(2);
    expect(page.match(/<rect/g)?.length).toBe(page.match(/<rect[^>]*><title>/g)?.length);
    expect(page).toContain('<td>left out: deleted_play</td><td class="n">313</td><td class="n">0.65 %</td>');
  });

  test("a bar that is not empty can be seen, however small its share", () => {
    const page = reportHtml({
      ...passed,
      excluded: { one: "1" },
      landing: passed.landing === null ? null : { ...passed.landing, parsed: "9007199254740993" },
    });
    expect(page).toMatch(/<rect class="lost"[^>]* width="2\.0"/);
    expect(page).toContain("&lt; 0.01 %");
  });

  test.each(["passed", "published"] as const)(
    "%s: the embedded document is the evidence, and its hash can be checked",
    (name) => {
      const page = reportHtml(RUNS[name]);
      const [, sha256, html = ""] =
        /has the sha256 <code>([0-9a-f]{64})<\/code><\/summary><pre><code>([\s\S]*?)<\/code><\/pre>/.exec(
          page,
        ) ?? [];
      const text = html
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&");
      expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
      expect(evidenceSchema.parse(JSON.parse(text))).toEqual(evidenceOf(RUNS[name]));
      expect(page).toContain(evidenceDigest(RUNS[name]));
    },
  );

  test("approval and history: who, where, on what authority, what readers saw", () => {
    const page = reportHtml(rolledBack);
    expect(page).toContain('<a href="https://github.com/acme/nfl/pull/412#issuecomment-2240">');
    expect(page).toContain("CODEOWNERS line 12");
    expect(page).toContain("published → rolled_back");
    expect(reportHtml(passed)).toContain("<p>Not approved.</p>");
  });
});
