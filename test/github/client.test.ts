// The client against the stand-in: what it asks, how long it waits, what it says when GitHub does not answer (github R9–R11, R20, R21, R33, R40).
import { describe, expect, test } from "vitest";
import { WapError } from "../../src/domain/errors.ts";
import { gitBlobId } from "../../src/domain/fingerprint.ts";
import { BOT, CONTRACT, REPOSITORY, TOKEN, useLab } from "./lab.ts";

const lab = useLab();

/** The fault of a promise that has to fail. */
async function faultOf(promise: Promise<unknown>): Promise<WapError> {
  const error = await promise.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WapError)) throw error;
  return error;
}

describe("a pull request", () => {
  test("tells head, base, author and the default branch", async () => {
    const pull = lab.open(1);
    expect(await lab.github.pullRequest(1)).toEqual({
      number: 1,
      state: "open",
      merged: false,
      mergedBy: null,
      mergeCommitSha: null,
      headSha: pull.headSha,
      headRepository: REPOSITORY,
      baseRef: "main",
      baseSha: lab.main,
      recordedBaseSha: lab.main,
      defaultBranch: "main",
      repositoryId: `${lab.repository.id}`,
      author: "rosa",
    });
  });

  test("names the tip of its base branch, which GitHub's base.sha does not follow", async () => {
    lab.open(1);
    const moved = lab.moveMain({ "README.md": "later" });
    expect(await lab.github.pullRequest(1)).toMatchObject({ baseSha: moved, recordedBaseSha: lab.main });
  });

  test("that is closed may have lost its base branch", async () => {
    const pull = lab.open(1);
    pull.state = "closed";
    lab.repository.branches.delete("main");
    expect(await lab.github.pullRequest(1)).toMatchObject({ state: "closed", baseSha: lab.main });
  });

  test("that was merged tells by whom and where", async () => {
    const pull = lab.open(1);
    pull.state = "closed";
    pull.merged = { by: lab.state.user("lena"), sha: "f".repeat(40) };
    expect(await lab.github.pullRequest(1)).toMatchObject({
      merged: true,
      mergedBy: "lena",
      mergeCommitSha: "f".repeat(40),
    });
  });

  test("has all its files and commits, over every page (R40)", async () => {
    const pull = lab.open(1);
    pull.files = Array.from({ length: 101 }, (_, n) => `f${n}`);
    pull.commits = Array.from({ length: 101 }, (_, n) => ({
      sha: `${n}`.padStart(40, "0"),
      author: `dev${n}`,
      committer: `dev${n}`,
    }));
    expect(await lab.github.changedFiles(1)).toHaveLength(101);
    expect(await lab.github.committers(1)).toHaveLength(101);
  });
});

describe("who wrote the commits", () => {
  const commits = (...people: readonly (readonly [string | null, string | null])[]): void => {
    lab.open(1).commits = people.map(([author, committer], n) => ({
      sha: `${n}`.padStart(40, "a"),
      author,
      committer,
    }));
  };

  test("is every author and every committer, without GitHub's own", async () => {
    commits(["rosa", "omar"], ["rosa", "web-flow"], ["tess", "tess"]);
    expect([...((await lab.github.committers(1)) ?? [])].toSorted()).toEqual(["omar", "rosa", "tess"]);
  });

  test("cannot be told for an author or a committer whom GitHub does not know (R13)", async () => {
    commits(["rosa", "rosa"], [null, "rosa"]);
    expect(await lab.github.committers(1)).toBeNull();
    commits(["rosa", null]);
    expect(await lab.github.committers(1)).toBeNull();
  });

  test("cannot be told beyond the 250 that GitHub lists", async () => {
    commits(...Array.from({ length: 250 }, () => ["rosa", "rosa"] as const));
    expect(await lab.github.committers(1)).toBeNull();
  });
});

describe("a file at a commit", () => {
  test("is text, and its blob id is git's", async () => {
    expect(await lab.github.fileAt(CONTRACT, lab.main)).toBe("v1");
    expect(await lab.github.blobAt(CONTRACT, lab.main)).toBe(gitBlobId(Buffer.from("v1")));
  });

  test("that is not there is null", async () => {
    expect(await lab.github.fileAt("nowhere.yml", lab.main)).toBeNull();
    expect(await lab.github.blobAt(CONTRACT, "0".repeat(40))).toBeNull();
  });

  test("may have any name", async () => {
    const sha = lab.moveMain({ "contracts/a b#c?d%20é.yml": "odd" });
    expect(await lab.github.fileAt("contracts/a b#c?d%20é.yml", sha)).toBe("odd");
  });

  test("above 1 MB, for which GitHub's first answer is empty, is read all the same", async () => {
    const text = `${"# é\n".repeat(400_000)}* @lena\n`;
    const sha = lab.moveMain({ "docs/CODEOWNERS": text });
    expect(await lab.github.fileAt("docs/CODEOWNERS", sha)).toBe(text);
    expect(await lab.github.blobAt("docs/CODEOWNERS", sha)).toBe(gitBlobId(Buffer.from(text)));
  });
});

describe("GitHub that does not answer as it should", () => {
  test("a 404 just after the event is asked again; then it counts (R20)", async () => {
    lab.open(1);
    const comment = lab.state.addComment(lab.repository, 1, "lena", "hello");
    lab.standIn.faults.push(
      { operation: "pulls/get", status: 404, times: 2 },
      { operation: "issues/get-comment", status: 404, times: 2 },
    );
    expect((await lab.github.pullRequest(1)).number).toBe(1);
    expect((await lab.github.comment(comment.id))?.body).toBe("hello");
  });

  test("a pull request that stays away is a fault, never a pass; a comment that stays away was deleted (R20)", async () => {
    expect(await faultOf(lab.github.pullRequest(9))).toMatchObject({ code: "github_unavailable" });
    expect(await lab.github.comment(12345)).toBeNull();
    expect(lab.operations().filter((one) => one === "pulls/get")).toHaveLength(3);
  });

  test("a server error and a cut connection are tried again, a bounded number of times", async () => {
    lab.open(1);
    lab.standIn.faults.push({ operation: "pulls/list-files", status: 0, times: 1 });
    expect(await lab.github.changedFiles(1)).toEqual([CONTRACT]);
    lab.standIn.faults.push({ operation: "pulls/get", status: 502, times: 99 });
    expect(await faultOf(lab.github.pullRequest(1))).toMatchObject({
      code: "github_unavailable",
      message: expect.stringContaining("502"),
    });
    expect(lab.operations().filter((one) => one === "pulls/get")).toHaveLength(3);
  });

  test("a secondary limit is waited for, as long as GitHub says (R21)", async () => {
    lab.open(1);
    lab.standIn.faults.push({
      operation: "issues/create-comment",
      status: 403,
      headers: { "retry-after": "1" },
      body: { message: "You have exceeded a secondary rate limit" },
      times: 1,
    });
    const started = performance.now();
    await lab.github.createComment(1, "hello");
    expect(performance.now() - started).toBeGreaterThan(900);
    expect(lab.repository.comments).toHaveLength(1);
  });

  test("a limit that asks for too long a wait ends the call at once", async () => {
    lab.open(1);
    lab.standIn.faults.push({
      operation: "issues/create-comment",
      status: 403,
      headers: { "retry-after": "3600" },
      body: { message: "You have exceeded a secondary rate limit" },
      times: 9,
    });
    expect((await faultOf(lab.github.createComment(1, "hello"))).code).toBe("github_unavailable");
  });

  test("a missing permission is named as GitHub names it, and the token is in no part of the error", async () => {
    lab.open(1);
    lab.state.tokens.set("ghs_reader_only_token", {
      login: BOT,
      permissions: { contents: "read", pull_requests: "read" },
    });
    const fault = await faultOf(lab.client("ghs_reader_only_token").createComment(1, "hello"));
    expect(fault).toMatchObject({
      code: "github_unavailable",
      next: expect.stringContaining("pull_requests=write"),
    });
    const wrong = await faultOf(lab.client("ghs_wrong_token").pullRequest(1));
    expect(wrong.message).toContain("401");
    for (const error of [fault, wrong])
      for (const text of [
        error.message,
        error.next ?? "",
        error.stack ?? "",
        JSON.stringify(error),
        String(error.cause),
      ])
        expect(text).not.toMatch(/ghs_/);
  });
});

describe("a user's standing", () => {
  test.each([
    ["adam", "admin", { admin: true, maintain: true, push: true }],
    ["lena", "maintain", { admin: false, maintain: true, push: true }],
    ["omar", "write", { admin: false, maintain: false, push: true }],
    ["tess", "triage", { admin: false, maintain: false, push: false }],
    ["rick", "read", { admin: false, maintain: false, push: false }],
    ["mallory", "none", { admin: false, maintain: false, push: false }],
  ])("%s has the role %s (R9, R10)", async (login, roleName, permissions) => {
    expect(await lab.github.standing(login)).toEqual({ roleName, permissions });
  });

  test("is nothing for a login that GitHub does not know, and unknown where the token may not ask", async () => {
    lab.standIn.faults.push({ operation: "repos/get-collaborator-permission-level", status: 404, times: 1 });
    expect((await lab.github.standing("ghost")).roleName).toBe("none");
    lab.standIn.faults.push({ operation: "repos/get-collaborator-permission-level", status: 403, times: 1 });
    expect((await faultOf(lab.github.standing("lena"))).code).toBe("authority_unknown");
  });
});

describe("a team's member (R11)", () => {
  const withTeams = () => {
    lab.state.teams.set("acme/flight-data", { lena: "active", omar: "pending" });
    lab.state.tokens.set("ghs_team", { login: "wap-team[bot]", permissions: { members: "read" } });
    return lab.client(TOKEN, "ghs_team");
  };

  test.each([
    ["lena", "yes"],
    ["omar", "no"],
    ["rosa", "no"],
  ])("%s: %s; a pending membership is none", async (login, answer) => {
    expect(await withTeams().inTeam("acme", "flight-data", login)).toBe(answer);
  });

  test("is unknown, and never a no, where the token may not read the team or does not see it", async () => {
    const github = withTeams();
    expect(await lab.github.inTeam("acme", "flight-data", "rosa")).toBe("unknown");
    expect(await github.inTeam("acme", "hidden", "rosa")).toBe("unknown");
  });

  test("is a fault, not an unknown, while GitHub is away", async () => {
    const github = withTeams();
    lab.standIn.faults.push({ operation: "teams/get-by-name", status: 503, times: 9 });
    expect((await faultOf(github.inTeam("acme", "flight-data", "rosa"))).code).toBe("github_unavailable");
  });
});

test("whom the token acts for is known for a person's token, and not for a job's", async () => {
  lab.state.tokens.set("ghp_person", { login: "lena", permissions: { user: "read" } });
  expect(await lab.client("ghp_person").self()).toBe(`${lab.state.user("lena").id}`);
  expect(await lab.github.self()).toBeNull();
});

test("a reaction that cannot be left is a warning", async () => {
  lab.open(1);
  const comment = lab.state.addComment(lab.repository, 1, "lena", "x");
  await lab.github.react(comment.id, "eyes");
  await lab.github.react(comment.id + 1000, "rocket");
  expect(comment.reactions.map(({ content }) => content)).toEqual(["eyes"]);
  expect(lab.warnings).toEqual(["no reaction could be left (404)"]);
});

describe("writes", () => {
  test("go one after the other (R21)", async () => {
    lab.open(1);
    const bodies = ["a", "b", "c", "d"];
    await Promise.all(bodies.map((body) => lab.github.createComment(1, body)));
    expect(lab.repository.comments.map(({ body }) => body)).toEqual(bodies);
  });
});
