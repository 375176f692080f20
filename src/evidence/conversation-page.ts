// A pull request's conversation as a person would see it: for the demo, which has no github.com at hand.
import { readableMoment } from "../domain/numbers.ts";
import { htmlPage, htmlText } from "./html-page.ts";
import { markdownToHtml } from "./markdown-html.ts";

export { markdownToHtml } from "./markdown-html.ts";

export interface ConversationEvent {
  /** A check stands in the box at the end, as GitHub shows it above the merge button. */
  readonly kind: "comment" | "event" | "check";
  readonly author: string;
  /** Markdown of a comment, or one sentence of an event or a check. */
  readonly text: string;
  /** ISO instant; text that is none is not shown. */
  readonly at: string;
  /** Names as GitHub's API has them: `eyes`, `rocket`, `-1`. */
  readonly reactions: readonly string[];
}

export interface Conversation {
  readonly title: string;
  readonly repository: string;
  readonly number: number;
  /** Branch and author of the pull request, where they are known. */
  readonly branch?: string;
  readonly author?: string;
  readonly events: readonly ConversationEvent[];
}

const REACTIONS: Readonly<Record<string, string>> = {
  eyes: "👀",
  rocket: "🚀",
  "-1": "👎",
  "+1": "👍",
  confused: "😕",
  heart: "❤️",
  hooray: "🎉",
  laugh: "😄",
};

/** One page with every pull request of a repository, in order. */
export function conversationPage(conversations: readonly Conversation[]): string {
  const [first] = conversations;
  const title =
    conversations.length === 1 && first !== undefined ? `${first.title} #${first.number}` : "Pull requests";
  const links = conversations.map(
    (one) => `<a href="#pull-${one.number}">#${one.number} ${htmlText(one.title, 200)}</a>`,
  );
  const index =
    conversations.length < 2
      ? ""
      : `<nav class="conversation" aria-label="Pull requests">${links.join("<br>")}</nav>`;
  return htmlPage(title, `${index}${conversations.map(conversationHtml).join("\n<hr>\n")}`);
}

function conversationHtml(one: Conversation): string {
  const shown = one.events.filter((event) => event.kind !== "check").map(eventHtml);
  const checks = one.events.filter((event) => event.kind === "check");
  const box =
    checks.length === 0 ? "" : `<h3>Checks</h3><ul class="checks">${checks.map(checkHtml).join("")}</ul>`;
  const who = [one.repository, one.author, one.branch]
    .filter((text) => text !== undefined)
    .map((text) => htmlText(text, 200));
  return `<article class="conversation" id="pull-${one.number}"><h1>${htmlText(one.title, 300)} <span class="soft">#${one.number}</span></h1><p class="soft">${who.join(" · ")}</p>${shown.join("\n")}${box}</article>`;
}

const authorHtml = (login: string): string => {
  const isBot = login.endsWith("[bot]");
  return `<strong>${htmlText(isBot ? login.slice(0, -"[bot]".length) : login, 100)}</strong>${isBot ? ' <span class="bot">bot</span>' : ""}`;
};

const whenHtml = (at: string): string =>
  /^\d{4}-\d\d-\d\dT/.test(at) ? ` <span class="soft">${htmlText(readableMoment(at))}</span>` : "";

function eventHtml({ kind, author, text, at, reactions }: ConversationEvent): string {
  if (kind !== "comment")
    return `<p class="event">• ${authorHtml(author)} ${htmlText(text)}${whenHtml(at)}</p>`;
  const faces = reactions.map(
    (name) => `<span title="${htmlText(name, 40)}">${REACTIONS[name] ?? htmlText(name, 40)}</span>`,
  );
  const below = faces.length === 0 ? "" : `<p class="reactions">${faces.join("")}</p>`;
  return `<section class="card"><header>${authorHtml(author)} <span class="soft">commented</span>${whenHtml(at)}</header><div>${markdownToHtml(text)}${below}</div></section>`;
}

const checkHtml = ({ author, text }: ConversationEvent): string => {
  const mark = /\bsuccess\b/.test(text) ? "✅" : /\bfailure\b/.test(text) ? "❌" : "➖";
  return `<li>${mark} <strong>${htmlText(author, 100)}</strong> <span class="soft">${htmlText(text, 300)}</span></li>`;
};
