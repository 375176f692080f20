// pull_request closed by a merge: publishes exactly the runs that were shown at the merged head, where the base branch's contract says so.
import * as core from "@actions/core";
import { withPublisher } from "../compose.ts";
import type { RunRecord } from "../domain/manifest.ts";
import type { ReasonCode } from "../domain/outcome.ts";
import { contractOf } from "../evidence/bundle.ts";
import { publishedReply, refusedReply } from "../evidence/replies.ts";
import type { Host } from "./host.ts";
import type { Result } from "./outputs.ts";
import { policyAt } from "./policy.ts";
import { isDone, PUBLISH_VARIABLE, promote } from "./promote.ts";
import { newestRuns, showEvidence, warningOnly } from "./show-evidence.ts";

export async function publishMerged(host: Host, number: number): Promise<Result> {
  const { github, inputs, surroundings } = host;
  const pull = await github.pullRequest(number);
  if (!pull.merged || pull.mergedBy === null || pull.mergeCommitSha === null)
    return { status: "nothing", reason: "nothing_to_do", runs: [] };
  const { mergedBy, mergeCommitSha } = pull;
  const newest = await withPublisher(surroundings, PUBLISH_VARIABLE, async ({ reader }) =>
    [...(await newestRuns(reader, github.repository, number)).values()].flatMap((history) =>
      history.slice(0, 1),
    ),
  );
  const say = (text: string): Promise<void> =>
    warningOnly(host, "the reply could not be written", async () => {
      await github.createComment(number, text);
    });

  const published: RunRecord[] = [];
  let reason: ReasonCode | null = newest.length === 0 ? "nothing_affected" : null;
  for (const run of newest) {
    const policy = await policyAt(host, run.contractPath, pull.recordedBaseSha);
    if (!policy.merge) {
      core.info(
        `wap: ${contractOf(run).id} is not published by a merge: approval.merge is not set on the base branch`,
      );
      reason ??= "merge_not_allowed";
      continue;
    }
    if (isDone(run, "publish")) continue;
    const question = {
      kind: "publish" as const,
      github,
      run,
      pull,
      asker: { login: mergedBy, isUser: !mergedBy.endsWith("[bot]") },
      comment: null,
      policy,
      fallback: inputs.approvers,
      superseded: false,
      now: surroundings.now(),
      mergedAt: mergeCommitSha,
    };
    const promotion = await promote(host, question, {
      url: `https://github.com/${github.repository}/pull/${number}#merged-${mergeCommitSha}`,
      commentId: null,
      body: null,
    });
    if (promotion.ok) {
      published.push(promotion.run);
      await say(publishedReply(promotion.run));
    } else {
      reason = promotion.refusal.code;
      await say(refusedReply(promotion.refusal, promotion.conditions));
    }
  }
  const runs = await withPublisher(surroundings, PUBLISH_VARIABLE, ({ reader }) =>
    showEvidence(host, { pull, reader, refused: [], blocked: new Map() }),
  );
  if (published.length > 0 && (reason === null || reason === "merge_not_allowed"))
    return { status: "published", reason: null, runs };
  return {
    status:
      reason === null || reason === "merge_not_allowed" || reason === "nothing_affected"
        ? "nothing"
        : "refused",
    reason,
    runs,
  };
}
