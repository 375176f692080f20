// Who may approve what: one pure decision from facts, with every condition said (github 3.4; safety A2, A3, A4).
import type { ReasonCode, Refusal } from "./outcome.ts";

export type Answer = "yes" | "no" | "unknown";

/** One condition of the decision: where it stands, and why. */
export interface Condition {
  readonly name: string;
  readonly verdict: Answer;
  readonly sentence: string;
  /** The reason code that a no of this condition leads to; an unknown is `authority_unknown`. */
  readonly code: ReasonCode;
  /** The exact next step, where it is better than the one of the reason code. */
  readonly next?: string;
}

/** An entry of the approvers' list, resolved for the person who asks. */
export interface ApproverAnswer {
  /** As policy writes it: `@user`, `@org/team`, the owners of a file, `permission:maintain`. */
  readonly entry: string;
  readonly answer: Answer;
  /** Why, for example `CODEOWNERS line 12, lena is a member of @acme/flight-data`. */
  readonly because: string;
}

/** A person. The id stays when the login is changed; null where it is not known. */
export interface Person {
  readonly login: string;
  readonly id: string | null;
}

export interface ApprovalFacts {
  /** A rollback undoes what is live: where the head is, how old the run is and whether the pull request is open say nothing about it. */
  readonly kind: "publish" | "rollback";
  readonly asker: Person & { readonly isUser: boolean };
  /** The comment as it is now; null for an approval by merge. */
  readonly comment: {
    readonly exists: boolean;
    readonly unedited: boolean;
    readonly sameText: boolean;
  } | null;
  readonly run: {
    readonly id: string;
    readonly ageMs: number;
    readonly initiator: Person;
    readonly headSha: string;
    readonly sameRepository: boolean;
    readonly samePullRequest: boolean;
    readonly superseded: boolean;
  };
  readonly pullRequest: {
    readonly author: string;
    readonly open: boolean;
    readonly headSha: string;
    readonly baseRef: string;
    readonly defaultBranch: string;
    /** Logins of all authors and committers; null where they cannot be told. */
    readonly committers: readonly string[] | null;
  };
  /** Paths of the run's files whose blob at the head (or the merge commit) is not the audited one. */
  readonly changedFiles: readonly string[];
  /** Paths of the run's files that the base branch changed since the audit. */
  readonly changedOnBase: readonly string[];
  readonly policy: {
    readonly allowAuthor: boolean;
    readonly maxRunAgeMs: number;
    /** How many different people have to approve. */
    readonly min: number;
  };
  readonly approvers: readonly ApproverAnswer[];
  /** Logins of other people whose approval of this very run stands, each with authority and independence of their own. */
  readonly others: readonly string[];
}

export type Decision =
  | { readonly granted: true; readonly authority: string; readonly conditions: readonly Condition[] }
  | { readonly granted: false; readonly refusal: Refusal; readonly conditions: readonly Condition[] };

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const short = (sha: string): string => sha.slice(0, 7);

/** Every condition has to be a yes: no is refused, and so is what cannot be known. */
export function decideApproval(facts: ApprovalFacts): Decision {
  const authority = authorityOf(facts);
  const conditions: readonly Condition[] = [
    ...commentConditions(facts),
    ...placeConditions(facts),
    ...(facts.kind === "publish" ? freshness(facts) : []),
    {
      name: "not one's own work",
      code: "author_may_not_approve",
      next: `Another person comments \`${commandOf(facts)}\`: ${namesOf(facts)} may.`,
      ...independenceOf(facts.asker, facts),
    },
    authority.condition,
    ...(facts.policy.min > 1 ? [enoughPeople(facts)] : []),
  ];
  const stopped =
    conditions.find(({ verdict }) => verdict === "no") ??
    conditions.find(({ verdict }) => verdict === "unknown");
  if (stopped === undefined) return { granted: true, authority: authority.because, conditions };
  const message = `${stopped.name}: ${stopped.sentence}`;
  if (stopped.verdict === "unknown")
    return { granted: false, conditions, refusal: { code: "authority_unknown", message } };
  const next = stopped.next === undefined ? {} : { next: stopped.next };
  return { granted: false, conditions, refusal: { code: stopped.code, message, ...next } };
}

const commandOf = ({ kind, run }: ApprovalFacts): string => `/${kind} ${run.id}`;

/** The list of those who may, as policy names them. */
const namesOf = ({ approvers }: ApprovalFacts): string =>
  approvers.length === 0 ? "nobody is named who" : approvers.map(({ entry }) => entry).join(", ");

interface Rule {
  readonly name: string;
  readonly code: ReasonCode;
  readonly holds: boolean;
  readonly yes: string;
  readonly no: string;
  readonly next?: string;
}

const conditionOf = ({ name, code, holds, yes, no, next }: Rule): Condition => ({
  name,
  verdict: holds ? "yes" : "no",
  sentence: holds ? yes : no,
  code,
  ...(next === undefined ? {} : { next }),
});

function commentConditions(facts: ApprovalFacts): Condition[] {
  const { comment, asker } = facts;
  const person = conditionOf({
    name: "asked by a person",
    code: "approval_denied",
    holds: asker.isUser,
    yes: asker.login,
    no: `${asker.login} is a bot`,
    next: `A person comments \`${commandOf(facts)}\`: ${namesOf(facts)} may.`,
  });
  if (comment === null) return [person];
  const untouched = conditionOf({
    name: "comment",
    code: "comment_edited",
    holds: comment.exists && comment.unedited && comment.sameText,
    yes: "as it was written",
    no: comment.exists ? "it was edited after it was written" : "it was deleted",
    next: `Write \`${commandOf(facts)}\` in a new comment.`,
  });
  return [untouched, person];
}

function placeConditions({ run, pullRequest }: ApprovalFacts): Condition[] {
  const { baseRef, defaultBranch } = pullRequest;
  return [
    conditionOf({
      name: "this pull request",
      code: "run_of_another_place",
      holds: run.sameRepository && run.samePullRequest,
      yes: "the run belongs here",
      no: "the run belongs to another pull request",
    }),
    // Anybody who may push can make a branch whose CODEOWNERS names them: only the default branch says who may (github R5, R14).
    conditionOf({
      name: "base branch",
      code: "base_branch_untrusted",
      holds: baseRef === defaultBranch,
      yes: baseRef,
      no: `the pull request goes to ${baseRef}, and only ${defaultBranch} says who may approve`,
    }),
  ];
}

/** What was approved has to be what was audited, and what is wanted now. */
function freshness({ run, pullRequest, changedFiles, changedOnBase, policy }: ApprovalFacts): Condition[] {
  const { baseRef, headSha, open } = pullRequest;
  return [
    conditionOf({
      name: "pull request open",
      code: "pull_request_closed",
      holds: open,
      yes: "open",
      no: "it is closed",
    }),
    conditionOf({
      name: "head commit",
      code: "head_moved",
      holds: same(run.headSha, headSha),
      yes: `${short(run.headSha)}, the audited one`,
      no: `it is ${short(headSha)} now, audited was ${short(run.headSha)}`,
    }),
    conditionOf({
      name: "files of the run",
      code: "contract_changed",
      holds: changedFiles.length === 0,
      yes: "equal to the audited ones",
      no: `changed since the audit: ${changedFiles.join(", ")}`,
    }),
    conditionOf({
      name: "files on the base branch",
      code: "contract_changed",
      holds: changedOnBase.length === 0,
      yes: `unchanged on ${baseRef} since the audit`,
      no: `${baseRef} changed since the audit: ${changedOnBase.join(", ")}`,
      next: `Bring ${baseRef} into the pull request, and let it be audited again.`,
    }),
    conditionOf({
      name: "newest run",
      code: "run_superseded",
      holds: !run.superseded,
      yes: "no newer run of this contract here",
      no: "a newer run of this contract exists here",
    }),
    conditionOf({
      name: "age",
      code: "run_too_old",
      holds: run.ageMs <= policy.maxRunAgeMs,
      yes: "young enough",
      no: "the run is older than approval.max_run_age",
    }),
  ];
}

/** Authors, committers and whoever started the run do not approve it, unless the base branch's policy says so (github R13). */
export function independenceOf(
  who: Person,
  {
    run,
    pullRequest,
    policy,
  }: Pick<ApprovalFacts, "pullRequest"> & {
    readonly run: Pick<ApprovalFacts["run"], "initiator">;
    readonly policy: Pick<ApprovalFacts["policy"], "allowAuthor">;
  },
): { readonly verdict: Answer; readonly sentence: string } {
  if (policy.allowAuthor)
    return { verdict: "yes", sentence: "approval.allow_author is set on the base branch" };
  const { author, committers } = pullRequest;
  if (same(author, who.login))
    return { verdict: "no", sentence: `${who.login} is the author of the pull request` };
  const { initiator } = run;
  if (same(initiator.login, who.login) || (initiator.id !== null && initiator.id === who.id))
    return { verdict: "no", sentence: `${who.login} started the run` };
  if (committers === null) {
    const sentence =
      "who wrote the commits cannot be told (a commit without an author or committer known to GitHub, or more than GitHub lists)";
    return { verdict: "unknown", sentence };
  }
  if (committers.some((login) => same(login, who.login)))
    return { verdict: "no", sentence: `${who.login} wrote or committed commits of it` };
  return { verdict: "yes", sentence: `${who.login} wrote none of it` };
}

function authorityOf(facts: ApprovalFacts): { readonly condition: Condition; readonly because: string } {
  const { asker, approvers } = facts;
  const name = "authority";
  const code = "approval_denied";
  const granted = approvers.find((one) => one.answer === "yes");
  if (granted !== undefined)
    return {
      condition: { name, verdict: "yes", sentence: granted.because, code },
      because: `${granted.entry}: ${granted.because}`,
    };
  const unknown = approvers.filter((one) => one.answer === "unknown");
  if (unknown.length > 0) {
    const sentence = `cannot know whether ${asker.login} may: ${unknown.map((one) => one.because).join("; ")}`;
    return { condition: { name, verdict: "unknown", sentence, code }, because: "" };
  }
  const who = approvers.map((one) => `${one.entry} (${one.because})`).join(", ");
  return {
    condition: {
      name,
      verdict: "no",
      sentence: `${asker.login} may not approve; these may: ${who === "" ? "nobody is named" : who}`,
      code,
      next: `Ask one who may to comment \`${commandOf(facts)}\`.`,
    },
    because: "",
  };
}

/** `approval.min`: so many different people, each with a comment that still stands. */
function enoughPeople(facts: ApprovalFacts): Condition {
  const people = [facts.asker.login, ...facts.others];
  const { min } = facts.policy;
  return conditionOf({
    name: "people who approve",
    code: "approval_denied",
    holds: people.length >= min,
    yes: `${people.length} of ${min}: ${people.join(", ")}`,
    no: `${people.length} of the ${min} that approval.min asks for: ${people.join(", ")}`,
    next: `Another person who may approve comments \`${commandOf(facts)}\`; these comments stay as they are.`,
  });
}
