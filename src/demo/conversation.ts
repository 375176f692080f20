// The stand-in's pull requests as conversations, for the page that a person looks at.
import type { Conversation, ConversationEvent } from "../evidence/conversation-page.ts";
import type { StandInRepository } from "./github/state.ts";

export function conversationsOf(repository: StandInRepository): readonly Conversation[] {
  return [...repository.pulls.values()].map((pull) => {
    const comments: ConversationEvent[] = repository.comments
      .filter((comment) => comment.issue === pull.number)
      .map((comment) => ({
        kind: "comment",
        author: comment.author.login,
        text: comment.body,
        at: comment.createdAt,
        reactions: comment.reactions.map((one) => one.content),
      }));
    const events: ConversationEvent[] = pull.events.map((event) => ({
      kind: "event",
      author: event.author,
      text: event.text,
      at: event.at,
      reactions: [],
    }));
    const checks: ConversationEvent[] = repository.checks
      .filter((check) => check.data["head_sha"] === pull.headSha)
      .map((check) => {
        const output = check.data["output"];
        const title =
          typeof output === "object" && output !== null && !Array.isArray(output) ? output["title"] : "";
        return {
          kind: "event",
          author: String(check.data["name"]),
          text: `check ${String(check.data["conclusion"])}: ${String(title)}`,
          at: "9999",
          reactions: [],
        };
      });
    return {
      title: pull.title,
      repository: repository.fullName,
      number: pull.number,
      events: [...comments, ...events].toSorted((a, b) => (a.at < b.at ? -1 : 1)).concat(checks),
    };
  });
}
