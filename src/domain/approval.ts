// Who may approve what: one pure decision from facts, with every condition said (github 3.4; safety A2, A3, A4).
import type { Refusal, ReasonCode } from "./outcome.ts";

export type Answer = "yes" | "no" | "unknown";

/** One condition of the decision: where it stands, and why. */
export interface Condition {
  readonly name: string;
  readonly verdict: Answer;
  readonly sentence: string;
  /** The reason code that a no, or an unknown, of this condition leads to. */
  readonly code: ReasonCode;
}

/** An entry of the approvers' list, resolved for the person who asks. */
export interface ApproverAnswer {
  /** As policy writes it: `@user`, `@org/team`, `codeowners`, `permission:maintain`. */
  readonly entry: string;
  readonly answer: Answer;
  /** Why, for example `CODEOWNERS line 12 names @acme/flight-data`. */
  readonly because: string;
}

export interface ApprovalFacts {
  /** A rollback undoes what is live: where the head is, how old the run is and whether the pull request is open say nothing about it. */
  readonly kind: "publish" | "rollback";
  readonly asker: { readonly login: string; readonly isUser: boolean };
  readonly comment: { readonly exists: boolean; readonly unedited: boolean; readonly sameText: boolean } | null;
  readonly run: {
    readonly ageMs: number;
    readonly initiator: string;
    readonly headSha: string;
    readonly sameRepository: boolean;
    readonly samePullRequest: boolean;
    readonly superseded: boolean;
  };
  readonly pullRequest: { readonly author: string; readonly open: boolean; readonly headSha: string; readonly committers: readonly string[] | null };
  /** Paths of the run's files whose blob at the head differs from the audited one. */
  readonly changedFiles: readonly string[];
  /** True where the contract on the base branch changed in a way that concerns the run. */
  readonly policy: { readonly allowAuthor: boolean; readonly maxRunAgeMs: number };
  readonly approvers: readonly ApproverAnswer[];
}

export type Decision =
  | { readonly granted: true; readonly authority: string; readonly conditions: readonly Condition[] }
  | { readonly granted: false; readonly refusal: Refusal; readonly conditions: readonly Condition[] };

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Every condition has to be a yes: no is refused, and so is what cannot be known. */
export function decideApproval(facts: ApprovalFacts): Decision {
  const { asker, comment, run, pullRequest, policy } = facts;
  const conditions: Condition[] = [];
  const hold = (name: string, holds: Answer | boolean, code: ReasonCode, yes: string, no: string): void => {
    const verdict: Answer = holds === true ? "yes" : holds === false ? "no" : holds;
    conditions.push({ name, verdict, sentence: verdict === "yes" ? yes : no, code });
  };
  if (comment !== null) {
    hold("comment", comment.exists && comment.unedited && comment.sameText, "comment_edited", "as it was written", comment.exists ? "it was edited after it was written" : "it was deleted");
  }
  hold("asked by a person", asker.isUser, "approval_denied", asker.login, `${asker.login} is a bot`);
  hold("this pull request", run.sameRepository && run.samePullRequest, "run_of_another_place", "the run belongs here", "the run belongs to another pull request");
  if (facts.kind === "publish") {
    hold("pull request open", pullRequest.open, "pull_request_closed", "open", "it is closed");
    hold("head commit", same(run.headSha, pullRequest.headSha), "head_moved", `${run.headSha.slice(0, 7)}, the audited one`, `it is ${pullRequest.headSha.slice(0, 7)} now, audited was ${run.headSha.slice(0, 7)}`);
    hold("files of the run", facts.changedFiles.length === 0, "contract_changed", "equal to the audited ones", `changed since the audit: ${facts.changedFiles.join(", ")}`);
    hold("newest run", !run.superseded, "run_superseded", "no newer run of this contract here", "a newer run of this contract exists here");
    hold("age", run.ageMs <= policy.maxRunAgeMs, "run_too_old", "young enough", "the run is older than approval.max_run_age");
  }
  conditions.push(independence(facts));
  const authority = authorityOf(facts);
  conditions.push(authority.condition);

  const stopped = conditions.find((condition) => condition.verdict === "no") ?? conditions.find((condition) => condition.verdict === "unknown");
  if (stopped === undefined) return { granted: true, authority: authority.because, conditions };
  return { granted: false, conditions, refusal: { code: stopped.verdict === "unknown" ? "authority_unknown" : stopped.code, message: `${stopped.name}: ${stopped.sentence}` } };
}

/** Authors, committers and whoever started the run do not approve it, unless the base branch's policy says so. */
function independence({ asker, run, pullRequest, policy }: ApprovalFacts): Condition {
  const name = "not one's own work";
  const code = "author_may_not_approve";
  if (policy.allowAuthor) return { name, verdict: "yes", sentence: "approval.allow_author is set on the base branch", code };
  const took = same(pullRequest.author, asker.login)
    ? `${asker.login} is the author of the pull request`
    : same(run.initiator, asker.login)
      ? `${asker.login} started the run`
      : pullRequest.committers?.some((login) => same(login, asker.login)) === true
        ? `${asker.login} wrote or committed commits of it`
        : null;
  if (took !== null) return { name, verdict: "no", sentence: took, code };
  if (pullRequest.committers === null) return { name, verdict: "unknown", sentence: "who wrote the commits cannot be told (a commit without a known author, or more than GitHub lists)", code };
  return { name, verdict: "yes", sentence: `${asker.login} wrote none of it`, code };
}

function authorityOf({ asker, approvers }: ApprovalFacts): { readonly condition: Condition; readonly because: string } {
  const name = "authority";
  const code = "approval_denied";
  const granted = approvers.find((one) => one.answer === "yes");
  if (granted !== undefined) return { condition: { name, verdict: "yes", sentence: granted.because, code }, because: `${granted.entry}: ${granted.because}` };
  const unknown = approvers.filter((one) => one.answer === "unknown");
  if (unknown.length > 0) {
    return { condition: { name, verdict: "unknown", sentence: `cannot know whether ${asker.login} may: ${unknown.map((one) => one.because).join("; ")}`, code }, because: "" };
  }
  const who = approvers.map((one) => one.entry).join(", ");
  return { condition: { name, verdict: "no", sentence: `${asker.login} may not approve; these may: ${who === "" ? "nobody is named" : who}`, code }, because: "" };
}
