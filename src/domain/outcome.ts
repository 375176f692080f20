// Exit codes and the closed list of reason codes: why a run, a command or a comment ended as it did.

/** Process exit codes (design: product). */
export const EXIT = {
  done: 0,
  contractSaidNo: 1,
  usage: 2,
  refused: 3,
  environment: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface ReasonEntry {
  readonly exit: ExitCode;
  /** What a person does next; one sentence. */
  readonly next: string;
}

/**
 * Every reason code, its exit code and its remedy. Closed: a new way to stop is a new line here, and `wap help <code>`
 * and the runbook are made from this table.
 */
export const REASONS = {
  // 1: the contract said no; readers still see the old version
  audit_failed: {
    exit: 1,
    next: "Correct the delivery or the transform and start a new run; this run can never be published.",
  },
  landing_failed: {
    exit: 1,
    next: "Correct the delivered file, or declare what it is in the contract's source block, and start a new run.",
  },
  build_failed: { exit: 1, next: "Correct the delivery or the transform and start a new run." },
  // 2: usage, or a contract that does not parse
  usage: { exit: 2, next: "See `wap --help`." },
  contract_invalid: {
    exit: 2,
    next: "Correct the contract; `wap validate` lists every problem with its line.",
  },
  transform_invalid: {
    exit: 2,
    next: "A transform is one SELECT over {{source}} and the relations named in `inputs`.",
  },
  run_unknown: { exit: 2, next: "List the runs with `wap runs`." },
  // 3: refused; readers still see the old version
  run_exists: { exit: 3, next: "A run id is used once: leave out --run-id to get a fresh one." },
  not_set_up: {
    exit: 3,
    next: "Run `wap setup` with WAP_ADMIN_URL, or give `wap setup --print` to a database administrator.",
  },
  control_schema_mismatch: {
    exit: 3,
    next: "The control schema is not what wap made: compare it with `wap setup --verify`, and let its owner repair it.",
  },
  duty_refused: { exit: 3, next: "Give this login one duty only; `wap setup --print` shows the grants." },
  membership_missing: {
    exit: 3,
    next: "Let a database administrator run the GRANT that is named in the message.",
  },
  unsafe_strategy: {
    exit: 3,
    next: "wap promotes a target that it made itself, or one that does not exist yet; others need a migration that a person approves.",
  },
  engine_unsupported: { exit: 3, next: "PostgreSQL 14 to 18 is supported." },
  read_only_server: { exit: 3, next: "Point the variable at the primary server." },
  not_audited: { exit: 3, next: "Only a run whose audits all passed can be approved; start a new run." },
  not_approved: {
    exit: 3,
    next: "Approve this exact run first: `/publish <run-id>` on GitHub, or `wap approve RUN --ref URL`.",
  },
  already_decided: { exit: 3, next: "Look at the run's state with `wap show RUN`." },
  gate_rejected: { exit: 3, next: "Look at the readings with `wap show RUN`; start a new run." },
  target_drift: {
    exit: 3,
    next: "The target changed after the audit: start a new run, which needs a new approval.",
  },
  stale_base: {
    exit: 3,
    next: "Another version was published after this run began: start a new run on top of it.",
  },
  stage_changed: {
    exit: 3,
    next: "The stage is not what was audited: find out who changed it, and start a new run.",
  },
  binding_mismatch: { exit: 3, next: "What was approved is not what would go live: start a new run." },
  no_previous_version: {
    exit: 3,
    next: "This run was the first version of its target: there is nothing to go back to.",
  },
  not_current_version: {
    exit: 3,
    next: "Only the version that readers see now can be rolled back; `wap runs` shows it.",
  },
  approval_denied: { exit: 3, next: "Ask a person who may approve; the reply names who." },
  author_may_not_approve: {
    exit: 3,
    next: "Another person has to approve: authors do not approve their own runs.",
  },
  authority_unknown: { exit: 3, next: "Give the token the permission that is named in the message." },
  head_moved: { exit: 3, next: "Commits came after the audit: wait for the audit of the new head commit." },
  comment_edited: { exit: 3, next: "Write the command in a new comment." },
  contract_changed: {
    exit: 3,
    next: "The contract or a file it names changed since the audit: start a new run.",
  },
  run_superseded: { exit: 3, next: "A newer run exists for this contract: publish that one." },
  run_too_old: { exit: 3, next: "Start a new run: this one is older than approval.max_run_age." },
  base_branch_untrusted: {
    exit: 3,
    next: "Let the pull request go to the default branch, which alone says who may approve, and start a new run.",
  },
  run_of_another_place: { exit: 3, next: "Comment on the pull request that the run belongs to." },
  pull_request_closed: { exit: 3, next: "Reopen the pull request, or audit from the default branch." },
  merge_not_allowed: {
    exit: 0,
    next: "Set approval.merge: true in the contract on the base branch, or comment `/publish <run-id>`.",
  },
  verification_failed: {
    exit: 3,
    next: "The new version is live but does not verify: look at it now, and roll back if in doubt.",
  },
  // 4: the environment failed; rolled back
  connection_failed: {
    exit: 4,
    next: "Check the variable's host, port and credentials, then start a new run.",
  },
  credential_missing: { exit: 4, next: "Set the environment variable that is named in the message." },
  lock_timeout: { exit: 4, next: "Nothing changed. Try again when the named sessions are gone." },
  statement_timeout: {
    exit: 4,
    next: "Nothing changed. Raise promotion.statement_timeout, or try when the server is less busy.",
  },
  database_error: { exit: 4, next: "Nothing changed. Read the server's message, then start a new run." },
  disk_full: { exit: 4, next: "Nothing changed. Make room on the server, then start a new run." },
  source_unreadable: { exit: 4, next: "Check that the file exists and may be read." },
  source_changed: {
    exit: 4,
    next: "The file changed while it was read: deliver it whole, then start a new run.",
  },
  github_unavailable: {
    exit: 4,
    next: "GitHub did not answer: run the job again; asking twice is harmless.",
  },
  interrupted: { exit: 130, next: "Nothing was published. Start a new run." },
  internal: { exit: 4, next: "This is a defect in wap: please report it with the message." },
  // neither good nor bad
  fork_without_credentials: {
    exit: 0,
    next: "A maintainer can audit these commits from a branch of this repository.",
  },
  nothing_affected: { exit: 0, next: "No contract is touched by this change." },
  nothing_to_do: { exit: 0, next: "This event asks nothing of wap." },
} as const satisfies Record<string, ReasonEntry>;

export type ReasonCode = keyof typeof REASONS;

export const isReasonCode = (text: string): text is ReasonCode => Object.hasOwn(REASONS, text);

/** A decision that says no: a value, not an error. `message` is one sentence for a person; it never holds a secret. */
export interface Refusal {
  readonly code: ReasonCode;
  readonly message: string;
  /** The exact next step, where it is better than the one of `REASONS`. */
  readonly next?: string;
}

/** Either a value or a refusal; steps return it, entry points print it. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const refuse = (
  code: ReasonCode,
  message: string,
  next?: string,
): { ok: false; refusal: Refusal } => ({
  ok: false,
  refusal: next === undefined ? { code, message } : { code, message, next },
});

export const exitCodeOf = (code: ReasonCode): ExitCode => REASONS[code].exit;
export const nextStepOf = (refusal: Refusal): string => refusal.next ?? REASONS[refusal.code].next;
