// The conversation page and its Markdown: what a person would see, and nothing else.
import { describe, expect, test } from "vitest";
import { evidenceComment } from "../../src/evidence/comment.ts";
import { conversationPage, markdownToHtml } from "../../src/evidence/conversation-page.ts";
import { passed, RUN, viewOf } from "./examples.ts";

describe("the conversation page", () => {
  const body = evidenceComment([viewOf(passed)], [], "<!-- wap:evidence acme/nfl#412 -->");
  const page = conversationPage([
    {
      title: "Plays <week> 12",
      repository: "acme/nfl",
      number: 412,
      branch: "week-12",
      author: "rosa",
      events: [
        {
          kind: "comment",
          author: "github-actions[bot]",
          text: body,
          at: "2026-11-26T06:12:40.000Z",
          reactions: [],
        },
        {
          kind: "comment",
          author: "lena",
          text: `/publish ${RUN}`,
          at: "2026-11-26T07:02:00.000Z",
          reactions: ["eyes", "rocket"],
        },
        { kind: "event", author: "lena", text: "merged", at: "2026-11-26T08:00:00.000Z", reactions: [] },
        {
          kind: "check",
          author: "wap/audit: nfl.plays",
          text: "check success: nfl.plays: 11 audits pass",
          at: "9999",
          reactions: [],
        },
      ],
    },
  ]);

  test("shows comments, commands, reactions, events and checks as a person would see them", () => {
    expect(page).toContain("<title>Plays &lt;week&gt; 12 #412</title>");
    expect(page).toContain('<strong>github-actions</strong> <span class="bot">bot</span>');
    expect(page).toContain(`<p>/publish ${RUN}</p>`);
    expect(page).toContain('<span title="eyes">👀</span><span title="rocket">🚀</span>');
    expect(page).toContain("<li>✅ <strong>wap/audit: nfl.plays</strong>");
    expect(page).not.toContain("wap:evidence");
    expect(page).not.toContain("9999");
  });

  test("renders every part of the evidence comment", () => {
    const html = markdownToHtml(body);
    expect(html).toContain("<h3>✅ nfl.plays: ready to publish</h3>");
    expect(html).toContain(
      `<blockquote class="alert TIP"><p class="alert-title">💡 Tip</p><p>All 11 audits pass.`,
    );
    expect(html).toContain(`<pre><code>/publish ${RUN}</code></pre>`);
    expect(html).toContain(
      '<tr><td>rows</td><td class="n">47\u202f940</td><td class="n">48\u202f187</td><td>+247</td></tr>',
    );
    expect(html).toContain("<details><summary>All 12 audits</summary>\n<div");
    expect(html).toContain("<ol><li>SHARE lock on the stage");
    expect(html).toContain("<sub>run <code>");
    expect(html).not.toMatch(/\*\*|\| ---|&amp;#/);
  });

  test("code, bold, links, lists, nested parts, a fence with a language", () => {
    expect(markdownToHtml("a **b `c*`** _d_ `**e**` [f](https://g.h/?a=1&b=2) snake_case_name")).toBe(
      '<p>a <strong>b <code>c*</code></strong> <em>d</em> <code>**e**</code> <a href="https://g.h/?a=1&amp;b=2">f</a> snake_case_name</p>',
    );
    expect(markdownToHtml("- a\n- b\n\n1. c")).toBe("<ul><li>a</li><li>b</li></ul>\n<ol><li>c</li></ol>");
    expect(markdownToHtml("```sql\nselect 1 < 2 -- **x**\n```")).toBe(
      '<pre><code class="language-sql">select 1 &lt; 2 -- **x**</code></pre>',
    );
    expect(
      markdownToHtml(
        "<details open><summary>a</summary>\n\n<details><summary>b</summary>\n\nc\n\n</details>\n\nd\n\n</details>",
      ),
    ).toBe(
      "<details open><summary>a</summary>\n<details><summary>b</summary>\n<p>c</p>\n</details>\n<p>d</p>\n</details>",
    );
    expect(markdownToHtml("> plain\n> quote")).toBe("<blockquote><p>plain<br>\nquote</p></blockquote>");
  });

  test("other HTML, other addresses and what is never closed stay text", () => {
    expect(markdownToHtml("<script>x</script> <b onclick=y>z</b>")).toBe(
      "<p>&lt;script&gt;x&lt;/script&gt; &lt;b onclick=y&gt;z&lt;/b&gt;</p>",
    );
    expect(markdownToHtml("[a](javascript:b) ![c](https://d.e)")).not.toMatch(/<img|href="j/);
    expect(markdownToHtml("<details><summary>a</summary>\n\nnever closed")).not.toContain("<details");
    expect(markdownToHtml("`open **bold**")).toBe("<p>`open <strong>bold</strong></p>");
  });
});
