// Who may, decided from what GitHub says now and the base branch alone (github R1, R5, R9–R15, R40; O41, O43–O46).
import { describe, expect, test } from "vitest";
import type { StandInPull } from "../../src/demo/github/state.ts";
import { type Decision, decideApproval } from "../../src/domain/approval.ts";
import type { RunRecord } from "../../src/domain/manifest.ts";
import {
  commentFacts,
  gatherFacts,
  type Question,
  STRICTEST_POLICY,
  whoMay,
} from "../../src/github/authorization.ts";
import type { GitHub } from "../../src/github/port.ts";
import { CONTRACT, newRunId, runOf, SQL, TOKEN, useLab } from "./lab.ts";

const lab = useLab();
const NOW = new Date("2026-11-27T06:00:00Z");

interface Asked {
  readonly github?: GitHub;
  readonly policy?: Partial<Question["policy"]>;
  readonly fallback?: readonly string[];
  readonly kind?: Question["kind"];
  readonly mergedAt?: string;
}

/** Somebody comments the command, and a decision is made. */
async function decide(
  login: string,
  run: RunRecord,
  pull: StandInPull,
  asked: Asked = {},
): Promise<Decision> {
  const github = asked.github ?? lab.github;
  const kind = asked.kind ?? "publish";
  const body = `/${kind} ${run.runId}`;
  const made = lab.state.addComment(lab.repository, pull.number, login, body);
  const comment = await github.comment(made.id);
  const question: Question = {
    kind,
    github,
    run,
    pull: await github.pullRequest(pull.number),
    asker: { login, isUser: comment?.author.isUser ?? false },
    comment: asked.mergedAt === undefined ? commentFacts(comment, body) : null,
    policy: { ...STRICTEST_POLICY, ...asked.policy },
    fallback: asked.fallback ?? null,
    superseded: false,
    now: NOW,
    ...(asked.mergedAt === undefined ? {} : { mergedAt: asked.mergedAt }),
  };
  return decideApproval(await gatherFacts(question));
}

const codeOf = (decision: Decision): string => (decision.granted ? "granted" : decision.refusal.code);
const sentenceOf = (decision: Decision): string =>
  decision.granted ? decision.authority : decision.refusal.message;

describe("code owners of the base branch", () => {
  test("may; an administrator, a writer and a stranger who own nothing may not (R13)", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    const granted = await decide("lena", run, pull);
    expect(sentenceOf(granted)).toContain("CODEOWNERS line 2");
    for (const login of ["adam", "omar", "mallory"])
      expect(codeOf(await decide(login, run, pull)), login).toBe("approval_denied");
  });

  test("have to own every file of the run", async () => {
    lab.moveMain({ ".github/CODEOWNERS": "/contracts/ @lena\n/transforms/ @omar\n" });
    const pull = lab.open(1, { [CONTRACT]: "v2" }, lab.repository.branches.get("main"));
    const decision = await decide("lena", runOf(lab, pull), pull);
    expect(codeOf(decision)).toBe("approval_denied");
    expect(sentenceOf(decision)).toContain(`gives ${SQL} to @omar`);
  });

  test("need write access, as GitHub asks of them", async () => {
    lab.moveMain({ ".github/CODEOWNERS": "* @rick @lena\n" });
    const pull = lab.open(1);
    const decision = await decide("rick", runOf(lab, pull), pull);
    expect(sentenceOf(decision)).toContain("no write access");
  });

  test("are nobody where the last line that matches names none", async () => {
    lab.moveMain({ ".github/CODEOWNERS": "* @lena\n/transforms/\n" });
    const pull = lab.open(1);
    expect(sentenceOf(await decide("lena", runOf(lab, pull), pull))).toContain(`nobody owns ${SQL}`);
  });

  test("are those of the first file that is found, however long it is", async () => {
    const long = `* @omar\n${"# x\n".repeat(300_000)}`;
    lab.moveMain({ ".github/CODEOWNERS": long, CODEOWNERS: "* @lena\n", "docs/CODEOWNERS": "* @lena\n" });
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    expect(codeOf(await decide("lena", run, pull))).toBe("approval_denied");
    expect(codeOf(await decide("omar", run, pull))).toBe("granted");
  });

  test("are never those of the pull request (R14)", async () => {
    const pull = lab.open(1, { [CONTRACT]: "v2", ".github/CODEOWNERS": "* @omar\n" });
    expect(codeOf(await decide("omar", runOf(lab, pull), pull))).toBe("approval_denied");
  });

  test("are those of today: who was taken out since the pull request was opened may no more (A4)", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    lab.moveMain({ ".github/CODEOWNERS": "* @omar\n" });
    expect(codeOf(await decide("lena", run, pull))).toBe("approval_denied");
    expect(codeOf(await decide("omar", run, pull))).toBe("granted");
  });

  test("of a base branch of one's own making count for nothing (R5)", async () => {
    const mine = lab.state.commit(lab.repository, lab.main, { ".github/CODEOWNERS": "* @omar\n" });
    lab.repository.branches.set("mine", mine);
    const headSha = lab.state.commit(lab.repository, mine, { [CONTRACT]: "v2" });
    const pull = lab.state.addPull(lab.repository, {
      number: 1,
      title: "Sly",
      author: "rosa",
      headSha,
      baseSha: mine,
      baseRef: "mine",
      files: [CONTRACT],
    });
    const run = runOf(lab, pull);
    expect(codeOf(await decide("omar", run, pull))).toBe("base_branch_untrusted");
    expect(codeOf(await decide("omar", run, pull, { kind: "rollback" }))).toBe("base_branch_untrusted");
  });

  test("by team are asked of the team; without the right to ask it is not known (R11)", async () => {
    lab.moveMain({ ".github/CODEOWNERS": "* @acme/flight-data\n" });
    lab.state.teams.set("acme/flight-data", { lena: "active", omar: "pending" });
    lab.state.tokens.set("ghs_team", { login: "wap-team[bot]", permissions: { members: "read" } });
    const github = lab.client(TOKEN, "ghs_team");
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    expect(codeOf(await decide("lena", run, pull, { github }))).toBe("granted");
    expect(codeOf(await decide("omar", run, pull, { github }))).toBe("approval_denied");
    const blind = await decide("lena", run, pull);
    expect(codeOf(blind)).toBe("authority_unknown");
    expect(sentenceOf(blind)).toContain("Members: read");
  });

  test("by mail address cannot be known", async () => {
    lab.moveMain({ ".github/CODEOWNERS": "* lena@example.com\n" });
    const pull = lab.open(1);
    expect(codeOf(await decide("lena", runOf(lab, pull), pull))).toBe("authority_unknown");
  });
});

describe("without code owners", () => {
  test("the permission to maintain is asked for", async () => {
    lab.moveMain({ ".github/CODEOWNERS": null });
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    const codes = await Promise.all(
      ["adam", "lena", "omar", "mallory"].map(async (login) => codeOf(await decide(login, run, pull))),
    );
    expect(codes).toEqual(["granted", "granted", "approval_denied", "approval_denied"]);
  });
});

describe("permissions (R10, O43)", () => {
  const roles: readonly (readonly [string, string, string, string])[] = [
    // login, then the answer for write, maintain and admin
    ["adam", "granted", "granted", "granted"],
    ["lena", "granted", "granted", "approval_denied"],
    ["omar", "granted", "approval_denied", "approval_denied"],
    ["tess", "approval_denied", "approval_denied", "approval_denied"],
    ["rick", "approval_denied", "approval_denied", "approval_denied"],
  ];
  test.each(roles)("%s: write %s, maintain %s, admin %s", async (login, ...expected) => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    const codes: string[] = [];
    for (const level of ["write", "maintain", "admin"])
      codes.push(codeOf(await decide(login, run, pull, { policy: { approvers: [`permission:${level}`] } })));
    expect(codes).toEqual(expected);
  });

  test("of a custom role are those that the role stands for; its name alone gives none", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    const answer = (permissions: object) => ({
      permission: "write",
      role_name: "admins",
      user: {
        login: "omar",
        permissions: { pull: true, triage: true, push: false, maintain: false, admin: false, ...permissions },
      },
    });
    const operation = "repos/get-collaborator-permission-level";
    const policy = { approvers: ["permission:write"] };
    lab.standIn.faults.push({ operation, status: 200, body: answer({ push: true }), times: 1 });
    expect(codeOf(await decide("omar", run, pull, { policy }))).toBe("granted");
    lab.standIn.faults.push({ operation, status: 200, body: answer({}), times: 1 });
    expect(codeOf(await decide("omar", run, pull, { policy }))).toBe("approval_denied");
  });

  test("that the token may not ask for are not known, and the refusal says what to grant", async () => {
    const pull = lab.open(1);
    lab.standIn.faults.push({ operation: "repos/get-collaborator-permission-level", status: 403, times: 1 });
    const decision = await decide("lena", runOf(lab, pull), pull, {
      policy: { approvers: ["permission:maintain"] },
    });
    expect(codeOf(decision)).toBe("authority_unknown");
    expect(sentenceOf(decision)).toContain("it needs the permissions");
  });

  test("that nobody knows give nothing", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    for (const entry of ["permission:read", "permission:", "lena", "codeowner"])
      expect(codeOf(await decide("adam", run, pull, { policy: { approvers: [entry] } })), entry).toBe(
        "approval_denied",
      );
  });
});

describe("approvers", () => {
  test("of the contract come before the Action's input, and that before CODEOWNERS", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    expect(
      codeOf(await decide("omar", run, pull, { policy: { approvers: ["@Omar"] }, fallback: ["@adam"] })),
    ).toBe("granted");
    expect(
      codeOf(await decide("adam", run, pull, { policy: { approvers: ["@omar"] }, fallback: ["@adam"] })),
    ).toBe("approval_denied");
    expect(codeOf(await decide("adam", run, pull, { fallback: ["@adam"] }))).toBe("granted");
    expect(codeOf(await decide("lena", run, pull, { fallback: ["@adam"] }))).toBe("approval_denied");
  });

  test("are named for the comment", async () => {
    expect(await whoMay(lab.github, CONTRACT, lab.main, STRICTEST_POLICY, null)).toEqual(["@lena"]);
    expect(
      await whoMay(
        lab.github,
        CONTRACT,
        lab.main,
        { ...STRICTEST_POLICY, approvers: ["@omar", "codeowners"] },
        null,
      ),
    ).toEqual(["@omar", "@lena"]);
    const bare = lab.moveMain({ ".github/CODEOWNERS": null });
    expect(await whoMay(lab.github, CONTRACT, bare, STRICTEST_POLICY, null)).toEqual(["permission:maintain"]);
  });
});

describe("one's own work (R13)", () => {
  const everybody = { policy: { approvers: ["permission:write"] } };

  test.each([
    ["the author of the pull request", "rosa"],
    ["who wrote a commit", "omar"],
    ["who committed one", "lena"],
  ])("%s does not approve it", async (_, login) => {
    const pull = lab.open(1);
    pull.commits = [{ sha: pull.headSha, author: "omar", committer: "lena" }];
    expect(codeOf(await decide(login, runOf(lab, pull), pull, everybody))).toBe("author_may_not_approve");
  });

  test("who started the run does not approve it, whatever their name is by now", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    if (run.provenance.kind !== "github") throw new Error("not a run of GitHub");
    const started = {
      ...run,
      provenance: {
        ...run.provenance,
        initiator: { id: `${lab.state.user("omar").id}`, login: "omar-as-was" },
      },
    };
    expect(codeOf(await decide("omar", started, pull, everybody))).toBe("author_may_not_approve");
    expect(codeOf(await decide("lena", started, pull, everybody))).toBe("granted");
  });

  test("a commit of somebody whom GitHub does not know leaves it unknown, and so denied", async () => {
    const pull = lab.open(1);
    pull.commits = [{ sha: pull.headSha, author: "rosa", committer: null }];
    expect(codeOf(await decide("lena", runOf(lab, pull), pull))).toBe("authority_unknown");
  });

  test("a bot approves nothing (R15)", async () => {
    const pull = lab.open(1);
    lab.repository.collaborators["helper[bot]"] = "admin";
    expect(codeOf(await decide("helper[bot]", runOf(lab, pull), pull, everybody))).toBe("approval_denied");
  });
});

describe("the world that moved", () => {
  test("a head that moved is refused (R1, O41)", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    lab.state.push(pull, lab.state.commit(lab.repository, pull.headSha, { "README.md": "x" }), "rosa");
    expect(codeOf(await decide("lena", run, pull))).toBe("head_moved");
  });

  test("a file of the run that main changed since the audit is refused; other files of main are not looked at (O45)", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    lab.moveMain({ "README.md": "x" });
    expect(codeOf(await decide("lena", run, pull))).toBe("granted");
    lab.moveMain({ [SQL]: "SELECT 2" });
    const decision = await decide("lena", run, pull);
    expect(codeOf(decision)).toBe("contract_changed");
    expect(sentenceOf(decision)).toContain(SQL);
    lab.moveMain({ [SQL]: null });
    expect(codeOf(await decide("lena", run, pull))).toBe("contract_changed");
  });

  test("a rollback is not held up by any of it", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    lab.moveMain({ [SQL]: "SELECT 2" });
    lab.state.push(pull, lab.state.commit(lab.repository, pull.headSha, { [CONTRACT]: "v3" }), "rosa");
    pull.state = "closed";
    expect(codeOf(await decide("lena", run, pull, { kind: "rollback" }))).toBe("granted");
    expect(codeOf(await decide("omar", run, pull, { kind: "rollback" }))).toBe("approval_denied");
  });

  test("a run of another pull request or another repository is refused (O44)", async () => {
    const [a, b] = [lab.open(1), lab.open(2)];
    const run = runOf(lab, a);
    expect(codeOf(await decide("lena", run, b))).toBe("run_of_another_place");
    if (run.provenance.kind !== "github") throw new Error("not a run of GitHub");
    const renamed = { ...run, provenance: { ...run.provenance, repositoryId: "1" } };
    expect(codeOf(await decide("lena", renamed, a))).toBe("run_of_another_place");
    const fromCli: RunRecord = { ...run, provenance: { kind: "cli", initiator: "rosa", revision: null } };
    expect(codeOf(await decide("lena", fromCli, a))).toBe("run_of_another_place");
  });
});

describe("a merge (O46)", () => {
  const merge = (pull: StandInPull, files: Record<string, string>): string => {
    const sha = lab.state.commit(lab.repository, pull.headSha, files);
    pull.state = "closed";
    pull.merged = { by: lab.state.user("lena"), sha };
    lab.repository.branches.set("main", sha);
    return sha;
  };

  test("is an approval of the run at the merged head where the files are the audited ones, squashed or not", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    const mergedAt = merge(pull, {});
    expect(codeOf(await decide("lena", run, pull, { mergedAt }))).toBe("granted");
    expect(codeOf(await decide("omar", run, pull, { mergedAt }))).toBe("approval_denied");
  });

  test("with other files than the audited ones is none", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    const mergedAt = merge(pull, { [SQL]: "SELECT 3" });
    expect(codeOf(await decide("lena", run, pull, { mergedAt }))).toBe("contract_changed");
  });

  test("that brings its own code owners gains nothing by it (R14)", async () => {
    const pull = lab.open(1, { [CONTRACT]: "v2", ".github/CODEOWNERS": "* @omar\n" });
    const run = runOf(lab, pull);
    const mergedAt = merge(pull, {});
    expect(codeOf(await decide("omar", run, pull, { mergedAt }))).toBe("approval_denied");
  });
});

describe("approval.min", () => {
  const two = { policy: { min: 2, approvers: ["permission:write"] } };

  test("is reached by different people who each may; the same one twice, an author, a stranger and an edited comment do not count", async () => {
    const pull = lab.open(1);
    const run = runOf(lab, pull);
    expect(codeOf(await decide("lena", run, pull, two))).toBe("approval_denied");
    expect(codeOf(await decide("lena", run, pull, two))).toBe("approval_denied");
    for (const login of ["rosa", "mallory", "helper[bot]"])
      lab.state.addComment(lab.repository, 1, login, `/publish ${run.runId}`);
    lab.state.addComment(lab.repository, 1, "omar", `/publish ${run.runId}`).updatedAt = lab.state.now();
    lab.state.addComment(lab.repository, 1, "omar", `/publish ${newRunId()}`);
    lab.state.addComment(lab.repository, 1, "omar", `/rollback ${run.runId}`);
    expect(codeOf(await decide("lena", run, pull, two))).toBe("approval_denied");
    const decision = await decide("omar", run, pull, two);
    expect(codeOf(decision)).toBe("granted");
    expect(decision.conditions.at(-1)?.sentence).toBe("2 of 2: omar, lena");
  });
});

test("a comment that was edited or deleted, or whose text is another than the event's, is seen as such (A4)", async () => {
  lab.open(1);
  const made = lab.state.addComment(lab.repository, 1, "lena", "/publish x");
  const now = await lab.github.comment(made.id);
  expect(commentFacts(now, "/publish x")).toEqual({
    exists: true,
    unedited: true,
    sameText: true,
    authorId: `${lab.state.user("lena").id}`,
  });
  expect(commentFacts(now, "/publish y")).toMatchObject({ sameText: false });
  made.updatedAt = lab.state.now();
  expect(commentFacts(await lab.github.comment(made.id), "/publish x")).toMatchObject({ unedited: false });
  expect(commentFacts(null, "/publish x")).toEqual({
    exists: false,
    unedited: false,
    sameText: false,
    authorId: null,
  });
});
