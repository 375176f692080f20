// What happened, out of the event that started the workflow; only what later questions need, and never the text of the event.
import { z } from "zod";
import { WapError } from "../domain/errors.ts";

export type WorkflowEvent =
  | {
      readonly kind: "pull_request";
      readonly number: number;
      readonly fork: boolean;
      readonly headSha: string;
    }
  | { readonly kind: "pull_request_merged"; readonly number: number }
  | { readonly kind: "pull_request_closed"; readonly number: number }
  | { readonly kind: "comment"; readonly commentId: number; readonly issue: number; readonly body: string }
  | { readonly kind: "ignored"; readonly sentence: string };

const repository = z.object({ full_name: z.string() });
const pullRequestEvent = z.object({
  action: z.string(),
  number: z.int(),
  pull_request: z.object({
    merged: z.boolean().nullish(),
    head: z.object({ sha: z.string(), repo: repository.nullable() }),
    base: z.object({ repo: repository }),
  }),
});
const commentEvent = z.object({
  action: z.string(),
  issue: z.object({ number: z.int(), pull_request: z.looseObject({}).nullish() }),
  comment: z.object({ id: z.int(), body: z.string().nullable() }),
});

const AUDITED_ACTIONS: ReadonlySet<string> = new Set([
  "opened",
  "synchronize",
  "reopened",
  "ready_for_review",
]);

/** @param name GITHUB_EVENT_NAME. @throws WapError usage for an event that is not what its name says. */
export function parseEvent(name: string, payload: unknown): WorkflowEvent {
  const ignored = (sentence: string): WorkflowEvent => ({ kind: "ignored", sentence });
  if (name === "pull_request") {
    const { action, number, pull_request: pull } = parsed(pullRequestEvent, name, payload);
    if (action === "closed")
      return { kind: pull.merged === true ? "pull_request_merged" : "pull_request_closed", number };
    if (!AUDITED_ACTIONS.has(action)) return ignored(`nothing is done for pull_request ${action}`);
    return {
      kind: "pull_request",
      number,
      fork: pull.head.repo?.full_name !== pull.base.repo.full_name,
      headSha: pull.head.sha,
    };
  }
  if (name === "issue_comment") {
    const { action, issue, comment } = parsed(commentEvent, name, payload);
    // An edited comment never approves: its old text may be what others saw.
    if (action !== "created") return ignored(`a comment that was ${action} asks nothing of wap`);
    if (!issue.pull_request) return ignored("the comment is not on a pull request");
    return { kind: "comment", commentId: comment.id, issue: issue.number, body: comment.body ?? "" };
  }
  return ignored(`nothing is done for the event ${name}`);
}

function parsed<T>(schema: z.ZodType<T>, name: string, payload: unknown): T {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  throw new WapError(
    "usage",
    `the event is not a ${name} event as GitHub sends it: ${result.error.issues[0]?.path.join(".") ?? ""} ${result.error.issues[0]?.message ?? ""}`,
  );
}
