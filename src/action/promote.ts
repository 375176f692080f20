// From a decision to a published or rolled-back run: the approval is recorded, the head is looked at once more, then the database acts.
import { createHash } from "node:crypto";
import { withApprover, withPublisher } from "../compose.ts";
import { type Condition, decideApproval } from "../domain/approval.ts";
import type { RunRecord } from "../domain/manifest.ts";
import type { Refusal } from "../domain/outcome.ts";
import { evidenceDigest } from "../evidence/bundle.ts";
import { gatherFacts, type Question } from "../github/authorization.ts";
import type { ControlReader } from "../ports.ts";
import { approve, publishRun, rollBackRun } from "../steps/index.ts";
import type { Host } from "./host.ts";
import { recordedOtherwise } from "./recorded-otherwise.ts";

export const APPROVE_VARIABLE = "WAP_APPROVE_URL";
export const PUBLISH_VARIABLE = "WAP_PUBLISH_URL";

/** What is recorded beside an approval: where it was given, and the text that was read. */
export interface Reference {
  readonly url: string;
  readonly commentId: number | null;
  readonly body: string | null;
}

export type Promotion =
  | { readonly ok: true; readonly run: RunRecord; readonly conditions: readonly Condition[] }
  | { readonly ok: false; readonly refusal: Refusal; readonly conditions: readonly Condition[] };

/** Decides, records, promotes and verifies. Each part refuses by itself; nothing is taken back that was committed. */
export async function promote(host: Host, question: Question, reference: Reference): Promise<Promotion> {
  const { surroundings, github } = host;
  const { run, pull, kind, asker } = question;
  const facts = await gatherFacts(question);
  const claimed =
    kind === "rollback" ? [] : await recordedOtherwise(host, run, question.mergedAt ?? pull.headSha);
  const decision = decideApproval({
    ...facts,
    changedFiles: [...new Set([...facts.changedFiles, ...claimed])],
  });
  const { conditions } = decision;
  if (!decision.granted) return { ok: false, refusal: decision.refusal, conditions };

  const approved = await withApprover(surroundings, APPROVE_VARIABLE, (duties) =>
    approve(
      run.runId,
      {
        kind,
        by: `github:${asker.login}`,
        ref: reference.url,
        facts: {
          authority: decision.authority,
          comment_id: reference.commentId,
          body_sha256:
            reference.body === null ? null : createHash("sha256").update(reference.body).digest("hex"),
          evidence_digest: evidenceDigest(run),
          head_sha: pull.headSha,
          base_sha: pull.baseSha,
          conditions: conditions.map(({ name, verdict, sentence }) => ({ name, verdict, sentence })),
        },
      },
      duties,
    ),
  );
  if (!approved.ok && !isDone(run, kind)) return { ok: false, refusal: approved.refusal, conditions };

  return withPublisher(surroundings, PUBLISH_VARIABLE, async (duties) => {
    if (kind === "publish" && question.mergedAt === undefined) {
      const now = await github.pullRequest(pull.number);
      if (now.headSha !== pull.headSha || now.state !== "open") {
        return {
          ok: false,
          refusal: {
            code: "head_moved",
            message: `the head commit moved to ${now.headSha.slice(0, 7)} while the approval was recorded`,
          },
          conditions,
        };
      }
    }
    const promoted =
      kind === "publish" ? await publishRun(run.runId, duties) : await rollBackRun(run.runId, duties);
    if (!promoted.ok) return { ok: false, refusal: promoted.refusal, conditions };
    return { ok: true, run: (await duties.reader.run(run.runId)) ?? run, conditions };
  });
}

/** A re-delivered event, or a job that runs again, finds its run where it left it. */
export const isDone = (run: RunRecord, kind: Question["kind"]): boolean =>
  run.publications.some((publication) => publication.kind === kind);

/** A run that a newer one of the same contract in the same pull request has taken over from. */
export async function isSuperseded(
  reader: ControlReader,
  run: RunRecord,
  contractId: string,
): Promise<boolean> {
  if (run.provenance.kind !== "github" || run.provenance.pullRequest === null) return false;
  const [newest] = await reader.runs({
    repository: run.provenance.repository,
    pullRequest: run.provenance.pullRequest,
    contractId,
    limit: 1,
  });
  return newest !== undefined && newest.runId !== run.runId;
}
