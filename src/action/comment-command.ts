// issue_comment: one command, answered with a reaction at once, a decision read fresh from GitHub, and one reply.
import { gitRevision, withPublisher } from "../compose.ts";
import { decideApproval } from "../domain/approval.ts";
import { type CommentCommand, parseCommand } from "../domain/command.ts";
import type { RunRecord } from "../domain/manifest.ts";
import type { Refusal } from "../domain/outcome.ts";
import type { RunId } from "../domain/run.ts";
import { contractOf } from "../evidence/bundle.ts";
import {
  HELP_REPLY,
  publishedReply,
  refusedReply,
  rolledBackReply,
  statusReply,
  usageReply,
  whichRunReply,
} from "../evidence/replies.ts";
import { commentFacts, gatherFacts, type Question } from "../github/authorization.ts";
import type { WorkflowEvent } from "../github/events.ts";
import type { Comment } from "../github/port.ts";
import type { ControlReader } from "../ports.ts";
import { auditPullRequest } from "./audit-pull-request.ts";
import type { Host } from "./host.ts";
import type { Result } from "./outputs.ts";
import { policyAt } from "./policy.ts";
import { isDone, isSuperseded, PUBLISH_VARIABLE, promote } from "./promote.ts";
import { showEvidence, warningOnly } from "./show-evidence.ts";

type CommentEvent = Extract<WorkflowEvent, { kind: "comment" }>;

const NOTHING: Result = { status: "nothing", reason: "nothing_to_do", runs: [] };

export async function answerComment(host: Host, event: CommentEvent): Promise<Result> {
  const command = parseCommand(event.body);
  if (command.kind === "none") return NOTHING;
  const { github } = host;
  await github.react(event.commentId, "eyes");
  const reply = (text: string): Promise<void> =>
    warningOnly(host, "the reply could not be written", async () => {
      await github.createComment(event.issue, text);
    });
  switch (command.kind) {
    case "help":
      await reply(HELP_REPLY);
      return NOTHING;
    case "refused":
      await reply(usageReply(command.sentence));
      await github.react(event.commentId, "confused");
      return { status: "refused", reason: "usage", runs: [] };
    case "audit":
      return auditAgain(host, event, command.contract, reply);
    case "publish_without_id":
    case "status":
      return tellStatus(host, event, command, reply);
    case "publish":
    case "rollback":
      return act(host, event, command, reply);
  }
}

type Reply = (text: string) => Promise<void>;

async function act(
  host: Host,
  event: CommentEvent,
  command: Extract<CommentCommand, { kind: "publish" | "rollback" }>,
  reply: Reply,
): Promise<Result> {
  const { github, surroundings } = host;
  const refuse = async (
    refusal: Refusal,
    conditions: Parameters<typeof refusedReply>[1] = [],
    runs: readonly RunRecord[] = [],
  ): Promise<Result> => {
    await reply(refusedReply(refusal, conditions));
    await github.react(event.commentId, "-1");
    return { status: "refused", reason: refusal.code, runs };
  };
  const comment = await github.comment(event.commentId);
  if (comment === null) return { status: "refused", reason: "comment_edited", runs: [] };
  const found = await withPublisher(surroundings, PUBLISH_VARIABLE, ({ reader }) =>
    questionOf(host, reader, event, comment, command.runId, command.kind),
  );
  if (found === null) return refuse({ code: "run_unknown", message: `there is no run ${command.runId}` });
  // What is done is done: a second comment, or a job that runs again, publishes nothing twice.
  if (isDone(found.run, command.kind)) {
    await reply(
      `${command.kind === "publish" ? "This run was published already." : "This run was rolled back already."} Nothing was done twice.`,
    );
    return {
      status: command.kind === "publish" ? "published" : "rolled_back",
      reason: "already_decided",
      runs: [found.run],
    };
  }
  const promotion = await promote(host, found, {
    url: comment.url,
    commentId: comment.id,
    body: comment.body,
  });
  const blocked = new Map(
    promotion.ok || !blocksTheRun(promotion.refusal) ? [] : [[command.runId as string, promotion.refusal]],
  );
  const runs = await withPublisher(surroundings, PUBLISH_VARIABLE, ({ reader }) =>
    showEvidence(host, { pull: found.pull, reader, refused: [], blocked }),
  );
  if (!promotion.ok) return refuse(promotion.refusal, promotion.conditions, [found.run]);
  await reply(command.kind === "publish" ? publishedReply(promotion.run) : rolledBackReply(promotion.run));
  await github.react(event.commentId, "rocket");
  return {
    status: command.kind === "publish" ? "published" : "rolled_back",
    reason: null,
    runs: runs.filter((run) => run.runId === command.runId),
  };
}

/** Refusals that concern the run and not the person: the comment then says that the run cannot be published. */
const blocksTheRun = ({ code }: Refusal): boolean =>
  ![
    "approval_denied",
    "author_may_not_approve",
    "authority_unknown",
    "comment_edited",
    "run_of_another_place",
    "usage",
  ].includes(code);

/** Everything a decision needs; null for a run that does not exist. */
async function questionOf(
  host: Host,
  reader: ControlReader,
  event: CommentEvent,
  comment: Comment,
  runId: RunId,
  kind: Question["kind"],
): Promise<Question | null> {
  const { github, inputs, surroundings } = host;
  const run = await reader.run(runId);
  if (run === null) return null;
  const pull = await github.pullRequest(event.issue);
  return {
    kind,
    github,
    run,
    pull,
    asker: { login: comment.author.login, isUser: comment.author.isUser },
    comment: commentFacts(comment, event.body),
    policy: await policyAt(host, run.contractPath, pull.baseSha),
    fallback: inputs.approvers,
    superseded: await isSuperseded(reader, run, contractOf(run).id),
    now: surroundings.now(),
  };
}

/** Reads and tells; writes nothing but the reply. */
async function tellStatus(
  host: Host,
  event: CommentEvent,
  command: Extract<CommentCommand, { kind: "status" | "publish_without_id" }>,
  reply: Reply,
): Promise<Result> {
  const { github, surroundings } = host;
  return withPublisher(surroundings, PUBLISH_VARIABLE, async ({ reader }) => {
    const runs = await reader.runs({ repository: github.repository, pullRequest: event.issue, limit: 100 });
    const newest = runs.filter(
      (run) => runs.find((other) => contractOf(other).id === contractOf(run).id)?.runId === run.runId,
    );
    if (command.kind === "publish_without_id") {
      const pull = await github.pullRequest(event.issue);
      await reply(
        whichRunReply(
          newest.filter(
            (run) =>
              run.status === "audited" &&
              run.provenance.kind === "github" &&
              run.provenance.headSha === pull.headSha,
          ),
        ),
      );
      return { status: "refused", reason: "usage", runs: newest };
    }
    const { runId } = command;
    const comment = runId === null ? null : await github.comment(event.commentId);
    const question =
      runId === null || comment === null
        ? null
        : await questionOf(host, reader, event, comment, runId, "publish");
    const conditions = question === null ? [] : decideApproval(await gatherFacts(question)).conditions;
    await reply(statusReply(question === null ? runs : [question.run], conditions));
    return { status: "nothing", reason: null, runs: newest };
  });
}

/** A fresh run. Only where the job has the head commit checked out: the publishing job never has, and never builds. */
async function auditAgain(
  host: Host,
  event: CommentEvent,
  contract: string | null,
  reply: Reply,
): Promise<Result> {
  const { github, surroundings } = host;
  const [comment, pull] = [await github.comment(event.commentId), await github.pullRequest(event.issue)];
  if (
    comment === null ||
    !comment.author.isUser ||
    !(await github.standing(comment.author.login)).permissions.push
  ) {
    await reply(
      refusedReply({ code: "approval_denied", message: "only people with write access may start an audit" }),
    );
    return { status: "refused", reason: "approval_denied", runs: [] };
  }
  if (
    pull.headRepository?.toLowerCase() !== github.repository.toLowerCase() ||
    (await gitRevision(surroundings.root)) !== pull.headSha
  ) {
    await reply(
      "This job does not have the pull request's head commit checked out. Run the audit workflow's job again for a fresh run.",
    );
    return { status: "refused", reason: "head_moved", runs: [] };
  }
  return auditPullRequest(host, event.issue, { fresh: true, only: contract });
}
