// A pull request's conversation as a person would see it: for the demo, which has no github.com at hand.
import { inHtml } from "./escape.ts";
import { htmlPage } from "./html-page.ts";

export interface ConversationEvent {
  readonly kind: "comment" | "event";
  readonly author: string;
  /** Markdown of a comment, or one sentence of an event. */
  readonly text: string;
  readonly at: string;
  readonly reactions: readonly string[];
}

export interface Conversation {
  readonly title: string;
  readonly repository: string;
  readonly number: number;
  readonly events: readonly ConversationEvent[];
}

const REACTIONS: Readonly<Record<string, string>> = {
  eyes: "👀",
  rocket: "🚀",
  "-1": "👎",
  "+1": "👍",
  confused: "😕",
};

/** One page with every pull request of a repository, in order. */
export function conversationPage(conversations: readonly Conversation[]): string {
  const body = conversations.map((one) => {
    const events = one.events.map((event) => {
      if (event.kind === "event")
        return `<p class="event">• <strong>${inHtml(event.author)}</strong> ${inHtml(event.text)}</p>`;
      const reactions =
        event.reactions.length === 0
          ? ""
          : `<p class="soft">${event.reactions.map((name) => REACTIONS[name] ?? inHtml(name)).join(" ")}</p>`;
      return `<article class="card"><header><strong>${inHtml(event.author)}</strong> <span class="soft">commented</span></header><div>${markdownToHtml(event.text)}${reactions}</div></article>`;
    });
    return `<h1>${inHtml(one.title)} <span class="soft">#${one.number} · ${inHtml(one.repository)}</span></h1>${events.join("\n")}`;
  });
  return htmlPage("Pull requests", body.join("\n<hr>\n"));
}

/**
 * The Markdown that our comments are made of: headings, tables, alerts, fences, code, bold, links, lists, details. Everything else is
 * text. Entities stay entities, since our own escaping wrote them.
 */
export function markdownToHtml(markdown: string): string {
  const out: string[] = [];
  const lines = markdown.replace(/<!--[\s\S]*?-->/g, "").split("\n");
  for (let n = 0; n < lines.length; n += 1) {
    const line = lines[n] ?? "";
    const block = (test: RegExp): string[] => {
      const taken: string[] = [];
      for (; n < lines.length && test.test(lines[n] ?? ""); n += 1) taken.push(lines[n] ?? "");
      n -= 1;
      return taken;
    };
    if (/^```/.test(line)) {
      const code: string[] = [];
      for (n += 1; n < lines.length && !/^```/.test(lines[n] ?? ""); n += 1) code.push(lines[n] ?? "");
      out.push(`<pre><code>${text(code.join("\n"))}</code></pre>`);
    } else if (/^> ?/.test(line)) {
      const quoted = block(/^> ?/).map((one) => one.replace(/^> ?/, ""));
      const kind = /^\[!(\w+)\]$/.exec(quoted[0] ?? "")?.[1];
      out.push(
        `<blockquote class="${kind ?? ""}">${markdownToHtml((kind === undefined ? quoted : quoted.slice(1)).join("\n\n").replace(/```\n\n([^\n]*)\n\n```/g, "```\n$1\n```"))}</blockquote>`,
      );
    } else if (/^\|/.test(line)) {
      const rows = block(/^\|/)
        .filter((row) => !/^\|(?: --- \|)+$/.test(row))
        .map((row) => row.slice(2, -2).split(" | "));
      const cells = (row: readonly string[], tag: string): string =>
        `<tr>${row.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join("")}</tr>`;
      out.push(`<table>${rows.map((row, r) => cells(row, r === 0 ? "th" : "td")).join("")}</table>`);
    } else if (/^[-*] /.test(line))
      out.push(
        `<ul>${block(/^[-*] /)
          .map((one) => `<li>${inline(one.slice(2))}</li>`)
          .join("")}</ul>`,
      );
    else if (/^\d+\. /.test(line))
      out.push(
        `<ol>${block(/^\d+\. /)
          .map((one) => `<li>${inline(one.replace(/^\d+\. /, ""))}</li>`)
          .join("")}</ol>`,
      );
    else if (/^### /.test(line)) out.push(`<h3>${inline(line.slice(4))}</h3>`);
    else if (/^<details( open)?><summary>.*<\/summary>$/.test(line))
      out.push(
        `<details${line.startsWith("<details open") ? " open" : ""}><summary>${inline(line.replace(/^<details( open)?><summary>|<\/summary>$/g, ""))}</summary>`,
      );
    else if (line === "</details>") out.push(line);
    else if (line !== "") out.push(`<p>${inline(line.replace(/^<sub>|<\/sub>$/g, ""))}</p>`);
  }
  return out.join("\n");
}

const text = (raw: string): string =>
  raw
    .replace(/&(?!#?\w+;)/g, "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

const inline = (raw: string): string =>
  text(raw)
    .replace(/(`+)( ?)(.+?)\2\1/g, "<code>$3</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\[([^\]]+)\]\((https?:[^)\s"]+)\)/g, '<a href="$2">$1</a>');
