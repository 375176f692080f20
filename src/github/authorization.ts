// Gathers the facts for a decision about an approval: everything read again from GitHub, policy and owners from the base branch.
import type { ApprovalFacts, ApproverAnswer } from "../domain/approval.ts";
import { CODEOWNERS_PLACES, parseCodeowners, rulingFor } from "../domain/codeowners.ts";
import type { RunRecord } from "../domain/manifest.ts";
import type { Comment, GitHub, PullRequest, Standing } from "./port.ts";

/** The base branch's word on approvals; null where the contract is not there yet or does not parse. */
export interface ApprovalPolicy {
  readonly approvers: readonly string[] | null;
  readonly allowAuthor: boolean;
  readonly maxRunAgeMs: number;
  readonly merge: boolean;
}

/** Without a contract on the base branch: the safe side. */
export const STRICTEST_POLICY: ApprovalPolicy = { approvers: null, allowAuthor: false, maxRunAgeMs: 7 * 86_400_000, merge: false };

export interface Question {
  readonly kind: ApprovalFacts["kind"];
  readonly github: GitHub;
  readonly run: RunRecord;
  readonly pull: PullRequest;
  readonly asker: { readonly login: string; readonly isUser: boolean };
  readonly comment: ApprovalFacts["comment"];
  readonly policy: ApprovalPolicy;
  /** Entries where policy names none: the Action's input, else CODEOWNERS, else permission:maintain. */
  readonly fallback: readonly string[] | null;
  readonly superseded: boolean;
  readonly now: Date;
  /** For a merge: the head was merged, the pull request need not be open, and files are compared at this commit. */
  readonly mergedAt?: string;
}

export async function gatherFacts(question: Question): Promise<ApprovalFacts> {
  const { github, run, pull, asker, policy, now } = question;
  const { provenance } = run;
  const blobs = provenance.kind === "github" ? provenance.blobs : {};
  return {
    kind: question.kind,
    asker,
    comment: question.comment,
    run: {
      ageMs: now.getTime() - new Date(run.createdAt).getTime(),
      initiator: provenance.kind === "github" ? provenance.initiator.login : provenance.initiator,
      headSha: provenance.kind === "github" ? provenance.headSha : "",
      sameRepository: provenance.kind === "github" && provenance.repository.toLowerCase() === github.repository.toLowerCase() && provenance.repositoryId === pull.repositoryId,
      samePullRequest: provenance.kind === "github" && provenance.pullRequest === pull.number,
      superseded: question.superseded,
    },
    pullRequest: { author: pull.author, open: question.mergedAt !== undefined || pull.state === "open", headSha: pull.headSha, committers: await github.committers(pull.number) },
    changedFiles: question.kind === "rollback" ? [] : await changedFiles(github, blobs, question.mergedAt ?? pull.headSha),
    policy: { allowAuthor: policy.allowAuthor, maxRunAgeMs: policy.maxRunAgeMs },
    approvers: await resolveApprovers(question),
  };
}

/** Files whose blob at a commit is not the one that the run read. */
async function changedFiles(github: GitHub, blobs: Readonly<Record<string, string>>, ref: string): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [path, blob] of Object.entries(blobs)) if ((await github.blobAt(path, ref)) !== blob) changed.push(path);
  return changed;
}

/** Who may approve, for the comment: the entries of the policy, with CODEOWNERS resolved to the owners of the contract. */
export async function whoMay(github: GitHub, contractPath: string, baseSha: string, policy: ApprovalPolicy, fallback: readonly string[] | null): Promise<readonly string[]> {
  const owners = await rulingsAt(github, [contractPath], baseSha);
  const entries = policy.approvers ?? fallback ?? (owners === null ? ["permission:maintain"] : ["codeowners"]);
  return entries.flatMap((entry) => (entry === "codeowners" ? (owners?.[0]?.rule?.owners ?? ["nobody: no code owner of the contract on the base branch"]) : [entry]));
}

async function resolveApprovers({ github, run, pull, asker, policy, fallback }: Question): Promise<readonly ApproverAnswer[]> {
  const owners = await codeownersOf(github, run, pull.baseSha);
  const entries = policy.approvers ?? fallback ?? (owners === null ? ["permission:maintain"] : ["codeowners"]);
  const answers: ApproverAnswer[] = [];
  let standing: Standing | null = null;
  const standingOnce = async (): Promise<Standing> => {
    standing ??= await github.standing(asker.login);
    return standing;
  };
  for (const entry of entries) {
    if (entry === "codeowners") {
      if (owners === null) answers.push({ entry, answer: "no", because: "the base branch has no CODEOWNERS" });
      else answers.push(await ownerOfEveryFile(github, owners, asker.login, standingOnce));
    } else if (entry.startsWith("permission:")) answers.push(byPermission(entry, asker.login, await standingOnce()));
    else answers.push({ entry, ...(await isHandle(github, entry, asker.login)) });
  }
  return answers;
}

const codeownersOf = (github: GitHub, run: RunRecord, baseSha: string) =>
  rulingsAt(github, run.provenance.kind === "github" ? Object.keys(run.provenance.blobs) : [run.contractPath], baseSha);

/** For each path: the deciding rule of the base branch's CODEOWNERS. Null without such a file. */
async function rulingsAt(github: GitHub, paths: readonly string[], baseSha: string) {
  for (const place of CODEOWNERS_PLACES) {
    const text = await github.fileAt(place, baseSha);
    if (text === null) continue;
    const parsed = parseCodeowners(text);
    return paths.map((path) => ({ path, rule: rulingFor(path, parsed) }));
  }
  return null;
}

/** The person has to own every file of the run, and owners need write access (docs.github.com: About code owners). */
async function ownerOfEveryFile(
  github: GitHub,
  owned: NonNullable<Awaited<ReturnType<typeof rulingsAt>>>,
  login: string,
  standing: () => Promise<Standing>,
): Promise<ApproverAnswer> {
  const entry = [...new Set(owned.flatMap(({ rule }) => rule?.owners ?? []))].join(", ") || "codeowners";
  let because = "";
  for (const { path, rule } of owned) {
    if (rule === null || rule.owners.length === 0) return { entry, answer: "no", because: `nobody owns ${path} in the base branch's CODEOWNERS` };
    const answers = await Promise.all(rule.owners.map((owner) => isHandle(github, owner, login)));
    const yes = answers.find((one) => one.answer === "yes");
    if (yes === undefined) {
      const unknown = answers.find((one) => one.answer === "unknown");
      if (unknown !== undefined) return { entry, ...unknown };
      return { entry, answer: "no", because: `CODEOWNERS line ${rule.line} gives ${path} to ${rule.owners.join(", ")}` };
    }
    because = `CODEOWNERS line ${rule.line}, ${yes.because}`;
  }
  if (!(await standing()).permissions.push) return { entry, answer: "no", because: `${login} is named in CODEOWNERS but has no write access` };
  return { entry, answer: "yes", because };
}

/** Whether an owner's entry means this person: a user, a team, or (never) a mail address. */
async function isHandle(github: GitHub, handle: string, login: string): Promise<{ answer: ApproverAnswer["answer"]; because: string }> {
  const team = /^@([^/\s]+)\/([^/\s]+)$/.exec(handle);
  if (team !== null) {
    const answer = await github.inTeam(team[1] ?? "", team[2] ?? "", login);
    const because = {
      yes: `${login} is a member of ${handle}`,
      no: `${login} is not a member of ${handle}`,
      unknown: `the token may not read the members of ${handle}; it needs the organisation permission "Members: read" (give an App token in the variable WAP_TEAM_TOKEN)`,
    }[answer];
    return { answer, because };
  }
  if (!handle.startsWith("@")) return { answer: "unknown", because: `${handle} is a mail address, which GitHub does not tell whose it is; name a user or a team` };
  const same = handle.slice(1).toLowerCase() === login.toLowerCase();
  return { answer: same ? "yes" : "no", because: same ? `${login} is named` : `${login} is not ${handle}` };
}

const LEVELS = ["write", "maintain", "admin"] as const;

/** By role_name; a custom role counts as the permissions that it stands for. */
function byPermission(entry: string, login: string, { roleName, permissions }: Standing): ApproverAnswer {
  const asked = LEVELS.find((level) => entry === `permission:${level}`);
  const has = asked === "admin" ? permissions.admin : asked === "maintain" ? permissions.maintain || permissions.admin : asked === "write" ? permissions.push : false;
  return { entry, answer: has ? "yes" : "no", because: `${login} has the role ${roleName}` };
}

/** The comment as it is now, against the one that the event told of. */
export const commentFacts = (now: Comment | null, body: string): NonNullable<ApprovalFacts["comment"]> => ({
  exists: now !== null,
  unedited: now !== null && now.createdAt === now.updatedAt,
  sameText: now !== null && now.body === body,
});
