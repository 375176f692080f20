// Every condition of an approval, by itself: granted, refused, cannot know (safety A2, A3, A4; github R5, R11, R13, R15, R36).
import { describe, expect, test } from "vitest";
import { type ApprovalFacts, decideApproval } from "../../src/domain/approval.ts";

const RUN = "3f0c8a52-6d1e-4b7a-9c55-0e2f1d3b4a69";
const DAY = 86_400_000;

/** lena, a code owner, asks for rosa's run, and everything is as it should be. */
const GOOD: ApprovalFacts = {
  kind: "publish",
  asker: { login: "lena", id: "1", isUser: true },
  comment: { exists: true, unedited: true, sameText: true },
  run: {
    id: RUN,
    ageMs: DAY,
    initiator: { login: "rosa", id: "2" },
    headSha: "a".repeat(40),
    sameRepository: true,
    samePullRequest: true,
    superseded: false,
  },
  pullRequest: {
    author: "rosa",
    open: true,
    headSha: "a".repeat(40),
    baseRef: "main",
    defaultBranch: "main",
    committers: ["rosa"],
  },
  changedFiles: [],
  changedOnBase: [],
  policy: { allowAuthor: false, maxRunAgeMs: 7 * DAY, min: 1 },
  approvers: [{ entry: "@lena", answer: "yes", because: "CODEOWNERS line 2, lena is named" }],
  others: [],
};

type Change = {
  readonly [K in keyof ApprovalFacts]?: ApprovalFacts[K] extends readonly unknown[] | string | null
    ? ApprovalFacts[K]
    : Partial<ApprovalFacts[K]>;
};

function changed(change: Change): ApprovalFacts {
  const facts: Record<string, unknown> = { ...GOOD };
  for (const [key, value] of Object.entries(change)) {
    const before = facts[key];
    const nested =
      typeof value === "object" && value !== null && !Array.isArray(value) && typeof before === "object";
    facts[key] = nested ? { ...before, ...value } : value;
  }
  return facts as unknown as ApprovalFacts;
}

const refusalOf = (change: Change) => {
  const decision = decideApproval(changed(change));
  return decision.granted ? null : decision.refusal;
};

test("an owner who had no part in it is granted, with every condition said", () => {
  const decision = decideApproval(GOOD);
  expect(decision).toMatchObject({ granted: true, authority: "@lena: CODEOWNERS line 2, lena is named" });
  expect(decision.conditions.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
    "comment yes",
    "asked by a person yes",
    "this pull request yes",
    "base branch yes",
    "pull request open yes",
    "head commit yes",
    "files of the run yes",
    "files on the base branch yes",
    "newest run yes",
    "age yes",
    "not one's own work yes",
    "authority yes",
  ]);
});

describe("one condition that does not hold refuses, with its own code", () => {
  const cases: readonly (readonly [string, Change, string, RegExp])[] = [
    ["a comment that was deleted", { comment: { exists: false } }, "comment_edited", /deleted/],
    ["a comment that was edited", { comment: { unedited: false } }, "comment_edited", /edited/],
    [
      "a comment with another text than the event's",
      { comment: { sameText: false } },
      "comment_edited",
      /edited/,
    ],
    ["a bot", { asker: { isUser: false } }, "approval_denied", /lena is a bot/],
    ["a run of another repository", { run: { sameRepository: false } }, "run_of_another_place", /another/],
    ["a run of another pull request", { run: { samePullRequest: false } }, "run_of_another_place", /another/],
    [
      "a base branch of one's own making (R5)",
      { pullRequest: { baseRef: "mine" } },
      "base_branch_untrusted",
      /only main says/,
    ],
    ["a closed pull request", { pullRequest: { open: false } }, "pull_request_closed", /closed/],
    [
      "a head that moved (R1)",
      { pullRequest: { headSha: "b".repeat(40) } },
      "head_moved",
      /bbbbbbb now.*aaaaaaa/,
    ],
    ["a file that changed", { changedFiles: ["contracts/x.yml"] }, "contract_changed", /contracts\/x\.yml/],
    [
      "a file that the base branch changed (O45)",
      { changedOnBase: ["contracts/x.yml"] },
      "contract_changed",
      /main changed/,
    ],
    ["a newer run", { run: { superseded: true } }, "run_superseded", /newer/],
    ["a run that is too old", { run: { ageMs: 7 * DAY + 1 } }, "run_too_old", /older/],
    [
      "the author, in whatever case (R13)",
      { pullRequest: { author: "LENA" } },
      "author_may_not_approve",
      /author/,
    ],
    [
      "whoever started the run (R13)",
      { run: { initiator: { login: "lena", id: null } } },
      "author_may_not_approve",
      /started/,
    ],
    [
      "whoever started the run under another name",
      { run: { initiator: { login: "old-name", id: "1" } } },
      "author_may_not_approve",
      /started/,
    ],
    [
      "a committer (R13)",
      { pullRequest: { committers: ["rosa", "Lena"] } },
      "author_may_not_approve",
      /committed/,
    ],
    [
      "commits that nobody is known to have made",
      { pullRequest: { committers: null } },
      "authority_unknown",
      /cannot be told/,
    ],
    ["nobody named", { approvers: [] }, "approval_denied", /nobody is named/],
    [
      "somebody else named",
      { approvers: [{ entry: "@omar", answer: "no", because: "lena is not @omar" }] },
      "approval_denied",
      /@omar/,
    ],
    [
      "a team that cannot be read (R11)",
      { approvers: [{ entry: "@acme/data", answer: "unknown", because: 'it needs "Members: read"' }] },
      "authority_unknown",
      /Members: read/,
    ],
  ];
  test.each(cases)("%s", (_, change, code, sentence) => {
    expect(refusalOf(change)).toMatchObject({ code, message: expect.stringMatching(sentence) });
  });

  test("an unknown id is nobody's: two people without one are not the same", () => {
    expect(refusalOf({ asker: { id: null }, run: { initiator: { login: "rosa", id: null } } })).toBeNull();
  });

  test("a no weighs more than what cannot be known", () => {
    expect(refusalOf({ pullRequest: { committers: null }, run: { superseded: true } })).toMatchObject({
      code: "run_superseded",
    });
  });

  test("one entry that says yes is enough, whatever the others are", () => {
    const approvers = [
      { entry: "@acme/data", answer: "unknown", because: "?" },
      { entry: "@omar", answer: "no", because: "?" },
      { entry: "permission:maintain", answer: "yes", because: "lena has the role admin" },
    ] as const;
    expect(refusalOf({ approvers })).toBeNull();
  });
});

describe("a refusal says what to do (R36)", () => {
  test("with the exact command, and who may", () => {
    const approvers = [{ entry: "@acme/data", answer: "no", because: "x" }] as const;
    expect(refusalOf({ approvers })).toMatchObject({
      message: expect.stringContaining("@acme/data"),
      next: expect.stringContaining(`/publish ${RUN}`),
    });
    expect(refusalOf({ pullRequest: { author: "lena" } })?.next).toContain(`/publish ${RUN}`);
    expect(refusalOf({ comment: { unedited: false } })?.next).toContain(`/publish ${RUN}`);
    expect(refusalOf({ kind: "rollback", comment: { unedited: false } })?.next).toContain(`/rollback ${RUN}`);
  });
});

test("policy may let authors approve; then their commits do not matter, authority still does", () => {
  const mine = { policy: { allowAuthor: true }, pullRequest: { author: "lena", committers: null } };
  expect(refusalOf(mine)).toBeNull();
  expect(refusalOf({ ...mine, approvers: [] })).toMatchObject({ code: "approval_denied" });
});

test("policy may ask for several people; one of them is not enough", () => {
  const two = { policy: { min: 2 } };
  expect(refusalOf(two)).toMatchObject({
    code: "approval_denied",
    message: expect.stringMatching(/1 of the 2/),
    next: expect.stringContaining(`/publish ${RUN}`),
  });
  expect(refusalOf({ ...two, others: ["omar"] })).toBeNull();
});

test("a rollback asks who, and not how fresh the run is", () => {
  const stale: Change = {
    kind: "rollback",
    pullRequest: { open: false, headSha: "b".repeat(40) },
    run: { superseded: true, ageMs: 400 * DAY },
  };
  expect(refusalOf(stale)).toBeNull();
  expect(refusalOf({ ...stale, approvers: [] })).toMatchObject({ code: "approval_denied" });
  expect(refusalOf({ ...stale, asker: { login: "rosa" } })).toMatchObject({ code: "author_may_not_approve" });
  expect(refusalOf({ ...stale, comment: { unedited: false } })).toMatchObject({ code: "comment_edited" });
});

test("a merge is an approval without a comment, under the same rules", () => {
  expect(refusalOf({ comment: null })).toBeNull();
  expect(refusalOf({ comment: null, approvers: [] })).toMatchObject({ code: "approval_denied" });
});
