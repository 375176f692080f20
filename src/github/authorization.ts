// Gathers the facts for a decision about an approval: everything read again from GitHub, policy and owners from the base branch.
import { type ApprovalFacts, independenceOf, type Person } from "../domain/approval.ts";
import { parseCommand } from "../domain/command.ts";
import type { RunRecord } from "../domain/manifest.ts";
import { approverEntries, codeownersAt, standingAsker } from "./approvers.ts";
import type { Comment, GitHub, PullRequest } from "./port.ts";

/** The base branch's word on approvals. */
export interface ApprovalPolicy {
  /** Null where the contract names none. */
  readonly approvers: readonly string[] | null;
  /** How many different people have to approve; 1 where it is not said. */
  readonly min?: number;
  readonly allowAuthor: boolean;
  readonly maxRunAgeMs: number;
  readonly merge: boolean;
}

/** Without a contract on the base branch: the safe side. */
export const STRICTEST_POLICY: ApprovalPolicy = {
  approvers: null,
  min: 1,
  allowAuthor: false,
  maxRunAgeMs: 7 * 86_400_000,
  merge: false,
};

export interface Question {
  readonly kind: ApprovalFacts["kind"];
  readonly github: GitHub;
  readonly run: RunRecord;
  readonly pull: PullRequest;
  readonly asker: { readonly login: string; readonly isUser: boolean };
  readonly comment: CommentFacts | null;
  readonly policy: ApprovalPolicy;
  /** Entries where policy names none: the Action's input, else CODEOWNERS, else permission:maintain. */
  readonly fallback: readonly string[] | null;
  readonly superseded: boolean;
  readonly now: Date;
  /** For a merge: the head was merged, the pull request need not be open, and files are compared at this commit. */
  readonly mergedAt?: string;
}

/** @throws WapError github_unavailable */
export async function gatherFacts(question: Question): Promise<ApprovalFacts> {
  const { github, run, pull, policy, now } = question;
  const { provenance } = run;
  const ours = provenance.kind === "github" ? provenance : null;
  const publishing = question.kind === "publish";
  const pullRequest = {
    author: pull.author,
    open: question.mergedAt !== undefined || pull.state === "open",
    headSha: pull.headSha,
    baseRef: pull.baseRef,
    defaultBranch: pull.defaultBranch,
    committers: await github.committers(pull.number),
  };
  const initiator: Person =
    provenance.kind === "github"
      ? { login: provenance.initiator.login, id: idOrNull(provenance.initiator.id) }
      : { login: provenance.initiator, id: null };
  const asker = { ...question.asker, id: question.comment?.authorId ?? null };
  const askers = standingAsker({ ...question, baseSha: baseOf(question) });
  const others =
    (policy.min ?? 1) > 1
      ? await othersWhoApprove(
          question,
          (who) => independenceOf(who, { pullRequest, run: { initiator }, policy }).verdict === "yes",
          askers,
        )
      : [];
  return {
    kind: question.kind,
    asker,
    comment: question.comment,
    run: {
      id: run.runId,
      ageMs: now.getTime() - new Date(run.createdAt).getTime(),
      initiator,
      headSha: ours?.headSha ?? "",
      sameRepository:
        ours?.repository.toLowerCase() === github.repository.toLowerCase() &&
        ours.repositoryId === pull.repositoryId,
      samePullRequest: ours !== null && ours.pullRequest === pull.number,
      superseded: question.superseded,
    },
    pullRequest,
    changedFiles: publishing
      ? await changedFiles(github, ours?.blobs ?? {}, question.mergedAt ?? pull.headSha)
      : [],
    changedOnBase:
      publishing && question.mergedAt === undefined && ours !== null
        ? await changedOnBase(github, ours, pull)
        : [],
    policy: { allowAuthor: policy.allowAuthor, maxRunAgeMs: policy.maxRunAgeMs, min: policy.min ?? 1 },
    approvers: await askers(asker.login),
    others,
  };
}

const idOrNull = (id: string): string | null => (id === "" ? null : id);

/** Where policy and owners are read: today's base branch; for a merge, the base branch without what was merged. */
const baseOf = ({ pull, mergedAt }: Question): string =>
  mergedAt === undefined ? pull.baseSha : pull.recordedBaseSha;

/** Files whose blob at a commit is not the one that the run read. */
async function changedFiles(
  github: GitHub,
  blobs: Readonly<Record<string, string>>,
  ref: string,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [path, blob] of Object.entries(blobs))
    if ((await github.blobAt(path, ref)) !== blob) changed.push(path);
  return changed;
}

/** Files of the run that the base branch holds differently than at the audit: the pull request would undo that (O45). */
async function changedOnBase(
  github: GitHub,
  { blobs, baseSha }: { readonly blobs: Readonly<Record<string, string>>; readonly baseSha: string },
  pull: PullRequest,
): Promise<readonly string[]> {
  if (baseSha === pull.baseSha) return [];
  const changed: string[] = [];
  for (const path of Object.keys(blobs)) {
    const now = await github.blobAt(path, pull.baseSha);
    // Where the base branch came to hold the very bytes that were audited, nothing is undone.
    if (now !== blobs[path] && now !== (await github.blobAt(path, baseSha))) changed.push(path);
  }
  return changed;
}

/** Other people's comments with the same command: unedited, by a person with authority and independence of their own. */
async function othersWhoApprove(
  { github, kind, run, pull, asker }: Question,
  isIndependent: (who: Person) => boolean,
  answersFor: (login: string) => Promise<ApprovalFacts["approvers"]>,
): Promise<readonly string[]> {
  const found = new Map<string, string>();
  for (const comment of await github.comments(pull.number)) {
    const command = parseCommand(comment.body);
    const { author } = comment;
    if (command.kind !== kind || command.runId !== run.runId) continue;
    if (!author.isUser || comment.createdAt !== comment.updatedAt) continue;
    if (author.login.toLowerCase() === asker.login.toLowerCase() || found.has(author.id)) continue;
    if (!isIndependent(author)) continue;
    if ((await answersFor(author.login)).some(({ answer }) => answer === "yes"))
      found.set(author.id, author.login);
  }
  return [...found.values()];
}

/** Who may approve, for the comment: the entries of the policy, with CODEOWNERS resolved to the owners of the contract. */
export async function whoMay(
  github: GitHub,
  contractPath: string,
  baseSha: string,
  policy: ApprovalPolicy,
  fallback: readonly string[] | null,
): Promise<readonly string[]> {
  const owners = await codeownersAt(github, [contractPath], baseSha);
  const named = owners?.[0]?.rule?.owners ?? [];
  return approverEntries(policy.approvers, fallback, owners).flatMap((entry) =>
    entry !== "codeowners"
      ? [entry]
      : named.length > 0
        ? named
        : ["nobody: no code owner of the contract on the base branch"],
  );
}

export interface CommentFacts {
  readonly exists: boolean;
  readonly unedited: boolean;
  readonly sameText: boolean;
  readonly authorId: string | null;
}

/** The comment as it is now, against the one that the event told of. */
export const commentFacts = (now: Comment | null, body: string): CommentFacts => ({
  exists: now !== null,
  unedited: now !== null && now.createdAt === now.updatedAt,
  sameText: now !== null && now.body === body,
  authorId: now?.author.id ?? null,
});
