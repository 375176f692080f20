// `/publish` and `/rollback` by comment: who may, on what, and what happens when the world moved (safety A2, A3, A4; github R1–R22).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commentEvent } from "../../src/demo/job.ts";
import { CONTRACT, DELIVERY, expectRefused, file, type Scene, scene } from "./scene.ts";

let at: Scene;
beforeAll(async () => {
  at = await scene();
});
afterAll(async () => {
  await at.end();
});

let next = 100;
/** A pull request with one audited run. */
async function audited(
  options: Parameters<Scene["open"]>[2] = {},
): Promise<{ number: number; target: string; runId: string }> {
  next += 1;
  const target = `t${next}`;
  at.open(next, target, options);
  const end = await at.audit(next);
  expect(end.outputs["status"], end.log).toBe("audited");
  return { number: next, target, runId: at.runOf(end) };
}

describe("a code owner's comment", () => {
  test("publishes exactly that run, verifies it, edits the evidence, replies, reacts; the approval is bound to what was shown", async () => {
    const { number, target, runId } = await audited();
    const end = await at.comment(number, "lena", `/publish ${runId}\n\nlooks right`);
    expect([end.exitCode, end.outputs["status"], end.outputs["published"]], end.log).toEqual([
      0,
      "published",
      "true",
    ]);
    expect(await at.readers(target)).toBe(6064);
    expect(at.evidence(number)).toContain(`published 1.0.0, approved by`);
    const comment = at.repository.comments.find((one) => one.body.startsWith(`/publish ${runId}`));
    expect(comment?.reactions.map((one) => one.content)).toEqual(["eyes", "rocket"]);
    const [approval] = await at.wap.admin("SELECT * FROM wap_admin.approvals WHERE run_id = $1", [runId]);
    expect(approval).toMatchObject({
      approved_by: "github:lena",
      approval_ref: `https://github.com/acme/flights/pull/${number}#issuecomment-${comment?.id}`,
    });
    expect(approval?.["facts"]).toMatchObject({
      comment_id: comment?.id,
      authority: expect.stringContaining("CODEOWNERS line 2"),
    });
  });

  test("delivered twice, or a job that runs again, publishes once (R17, R19)", async () => {
    const { number, runId } = await audited();
    const comment = at.standIn.state.addComment(at.repository, number, "lena", `/publish ${runId}`);
    const first = await at.job(commentEvent(number, comment), { actor: "lena" });
    const second = await at.job(commentEvent(number, comment), { actor: "lena" });
    expect([first.outputs["status"], second.outputs["status"], second.outputs["reason-code"]]).toEqual([
      "published",
      "published",
      "already_decided",
    ]);
    expect(
      await at.wap.admin("SELECT count(*)::int AS n FROM wap_admin.publications WHERE run_id = $1", [runId]),
    ).toEqual([{ n: 1 }]);
  });

  test("to roll back restores the version before, and needs one to go back to", async () => {
    const { number, target, runId } = await audited();
    await at.comment(number, "lena", `/publish ${runId}`);
    expectRefused(await at.comment(number, "lena", `/rollback ${runId}`), "no_previous_version");
    const pull = at.repository.pulls.get(number);
    if (pull === undefined) throw new Error("no pull request");
    const wider = "contracts/flights/deliveries/2013-01-14.csv.gz";
    const head = at.standIn.state.commit(at.repository, pull.headSha, {
      [CONTRACT]: at.contract(target, (text) => text.replace("2013-01-07", "2013-01-14")),
      [wider]: file(wider),
    });
    at.standIn.state.push(pull, head, "rosa", [CONTRACT, wider]);
    const secondRun = at.runOf(await at.audit(number));
    expect((await at.comment(number, "lena", `/publish ${secondRun}`)).outputs["status"]).toBe("published");
    expect(await at.readers(target)).toBe(12126);
    const back = await at.comment(number, "lena", `/rollback ${secondRun}`);
    expect(back.outputs["status"], back.log).toBe("rolled_back");
    expect(await at.readers(target)).toBe(6064);
    expect(at.evidence(number)).toContain("rolled back");
  });
});

describe("nobody publishes who may not", () => {
  const refusals: readonly (readonly [string, string, string])[] = [
    ["a writer who owns nothing", "omar", "approval_denied"],
    ["an administrator who owns nothing: no silent bypass (R13)", "adam", "approval_denied"],
    ["the author, though a code owner (R13)", "rosa", "author_may_not_approve"],
    ["a stranger", "mallory", "approval_denied"],
    ["a bot (R15)", "helper[bot]", "approval_denied"],
  ];
  test("refused with the condition, and readers see nothing", async () => {
    const { number, target, runId } = await audited();
    for (const [who, login, reason] of refusals) {
      const end = await at.comment(number, login, `/publish ${runId}`);
      expect([who, end.outputs["status"], end.outputs["reason-code"]]).toEqual([who, "refused", reason]);
      expect(at.replies(number).at(-1)).toContain(reason);
    }
    expect(await at.readers(target)).toBeNull();
    expect(await at.wap.admin("SELECT status FROM wap_admin.runs WHERE run_id = $1", [runId])).toEqual([
      { status: "audited" },
    ]);
  });

  test("a pull request that makes its author a code owner gains nothing: owners come from the base branch (R14)", async () => {
    const { number, runId } = await audited();
    const pull = at.repository.pulls.get(number);
    if (pull === undefined) throw new Error("no pull request");
    at.standIn.state.push(
      pull,
      at.standIn.state.commit(at.repository, pull.headSha, { ".github/CODEOWNERS": "* @omar\n" }),
      "rosa",
    );
    expectRefused(await at.comment(number, "omar", `/publish ${runId}`), "head_moved");
    const newer = at.runOf(await at.audit(number));
    expectRefused(await at.comment(number, "omar", `/publish ${newer}`), "approval_denied");
  });

  test("a team that the token may not read is not a no but unknown, and says what to grant (R11)", async () => {
    const { number, runId } = await audited({
      baseFiles: { ".github/CODEOWNERS": "/contracts/ @acme/flight-data\n" },
    });
    expectRefused(await at.comment(number, "lena", `/publish ${runId}`), "authority_unknown");
    expect(at.replies(number).at(-1)).toContain("Members");
    at.standIn.state.teams.set("acme/flight-data", { lena: "active", omar: "pending" });
    at.standIn.state.tokens.set("ghs_team", { login: "wap-team[bot]", permissions: { members: "read" } });
    const team = {
      WAP_APPROVE_URL: at.wap.url(at.wap.logins.approver),
      WAP_PUBLISH_URL: at.wap.url(at.wap.logins.publisher),
      WAP_TEAM_TOKEN: "ghs_team",
    };
    expectRefused(
      await at.comment(number, "omar", `/publish ${runId}`, { secrets: team }),
      "approval_denied",
    );
    expect((await at.comment(number, "lena", `/publish ${runId}`, { secrets: team })).outputs["status"]).toBe(
      "published",
    );
  });

  test("approvers of the contract count from the base branch, by role_name (R10)", async () => {
    next += 1;
    const target = `t${next}`;
    const withMaintain = (text: string): string =>
      text.replace("approval: {max_run_age: 7d}", 'approval: {approvers: ["permission:maintain"]}');
    at.open(next, target, { baseFiles: { [CONTRACT]: at.contract(target, withMaintain) } });
    const end = await at.audit(next);
    expectRefused(await at.comment(next, "omar", `/publish ${at.runOf(end)}`), "approval_denied");
    expect((await at.comment(next, "lena", `/publish ${at.runOf(end)}`)).outputs["status"]).toBe("published");
  });
});

describe("what was approved is what is published, or nothing", () => {
  test("a head that moved before the comment, or between two looks, is refused (R1, O41)", async () => {
    const { number, target, runId } = await audited();
    const pull = at.repository.pulls.get(number);
    if (pull === undefined) throw new Error("no pull request");
    let asked = 0;
    const moved = at.standIn.state.commit(at.repository, pull.headSha, { "README.md": "later" });
    at.standIn.onRequest = (operation) => {
      if (operation === "pulls/get") asked += 1;
      if (operation === "pulls/get" && asked === 2) at.standIn.state.push(pull, moved, "rosa");
    };
    expectRefused(await at.comment(number, "lena", `/publish ${runId}`), "head_moved");
    at.standIn.onRequest = null;
    expectRefused(await at.comment(number, "lena", `/publish ${runId}`), "head_moved");
    expect(await at.readers(target)).toBeNull();
  });

  test("an edited or deleted comment never approves (A4, O42)", async () => {
    const { number, target, runId } = await audited();
    const edited = at.standIn.state.addComment(at.repository, number, "lena", `/publish ${runId}`);
    edited.updatedAt = at.standIn.state.now();
    expectRefused(await at.job(commentEvent(number, edited), { actor: "lena" }), "comment_edited");
    const other = at.standIn.state.addComment(at.repository, number, "lena", `/publish ${runId}`);
    const event = commentEvent(number, { id: other.id, body: other.body });
    at.repository.comments.splice(at.repository.comments.indexOf(other), 1);
    expectRefused(await at.job(event, { actor: "lena" }), "comment_edited");
    const ignored = await at.job(commentEvent(number, edited, "edited"), { actor: "lena" });
    expect(ignored.outputs["status"]).toBe("nothing");
    expect(await at.readers(target)).toBeNull();
  });

  test("a run of another pull request, an older run, and a run that nobody knows are refused (O44)", async () => {
    const a = await audited();
    const b = await audited();
    expectRefused(await at.comment(b.number, "lena", `/publish ${a.runId}`), "run_of_another_place");
    expectRefused(
      await at.comment(b.number, "lena", "/publish 00000000-0000-4000-8000-000000000000"),
      "run_unknown",
    );
    const pull = at.repository.pulls.get(a.number);
    if (pull === undefined) throw new Error("no pull request");
    expect(
      (await at.comment(a.number, "lena", `/publish ${a.runId.slice(0, 8)}`)).outputs["reason-code"],
    ).toBe("usage");
  });

  test("a stage that was changed after the audit is refused, and the run ends as failed (R2, E3)", async () => {
    const { number, target, runId } = await audited();
    const [row] = await at.wap.admin("SELECT stage_name FROM wap_admin.runs WHERE run_id = $1", [runId]);
    const stage = String(row?.["stage_name"]);
    await at.wap.admin(
      `ALTER TABLE ${stage} DISABLE TRIGGER sealed; UPDATE ${stage} SET distance = distance + 1 WHERE flight = 1545; ALTER TABLE ${stage} ENABLE ALWAYS TRIGGER sealed`,
    );
    expectRefused(await at.comment(number, "lena", `/publish ${runId}`), "stage_changed");
    expect(await at.readers(target)).toBeNull();
    expect(await at.wap.admin("SELECT status FROM wap_admin.runs WHERE run_id = $1", [runId])).toEqual([
      { status: "failed" },
    ]);
  });

  test("a target that drifted is refused, and the comment says that the run cannot be published", async () => {
    const { number, target, runId } = await audited();
    await at.wap.admin(`CREATE TABLE analytics.${target} (x int)`);
    expectRefused(await at.comment(number, "lena", `/publish ${runId}`), "target_drift");
    expect(at.evidence(number)).toMatch(/nothing was published/);
  });
});

describe("commands", () => {
  test("`/publish` without an id publishes nothing and names the run; `/status` and `/wap help` answer; other comments are silent", async () => {
    const { number, target, runId } = await audited();
    const bare = await at.comment(number, "lena", "/publish");
    expect(bare.outputs["published"]).toBe("false");
    expect(at.replies(number).at(-1)).toContain(`/publish ${runId}`);
    await at.comment(number, "omar", `/status ${runId}`);
    expect(at.replies(number).at(-1)).toMatch(/✗ \| authority/);
    await at.comment(number, "omar", "/wap help");
    expect(at.replies(number).at(-1)).toContain("`/rollback <run-id>`");
    const before = at.repository.comments.length;
    await at.comment(number, "omar", `I would \`/publish ${runId}\` this`);
    expect(at.repository.comments.length).toBe(before + 1);
    expect(await at.readers(target)).toBeNull();
  });
});

describe("a merge", () => {
  const merging = (text: string): string =>
    text.replace("approval: {max_run_age: 7d}", "approval: {merge: true}");
  const mergeOf = (number: number, headSha: string) => ({
    name: "pull_request",
    payload: {
      action: "closed",
      number,
      pull_request: {
        merged: true,
        head: { sha: headSha, repo: { full_name: "acme/flights" } },
        base: { repo: { full_name: "acme/flights" } },
      },
    },
  });

  test("publishes what was shown at the merged head where the base branch's contract allows it, and nothing where it does not", async () => {
    next += 1;
    const target = `t${next}`;
    const number = next;
    const pull = at.open(number, target, {
      contract: merging,
      baseFiles: { [CONTRACT]: at.contract(target, merging) },
    });
    await at.audit(number);
    const squash = at.standIn.state.commit(at.repository, pull.headSha, {});
    pull.state = "closed";
    pull.merged = { by: at.standIn.state.user("lena"), sha: squash };
    const end = await at.job(mergeOf(number, pull.headSha), { actor: "lena" });
    expect(end.outputs["status"], end.log).toBe("published");
    expect(await at.readers(target)).toBe(6064);

    const other = await audited();
    const plain = at.repository.pulls.get(other.number);
    if (plain === undefined) throw new Error("no pull request");
    plain.state = "closed";
    plain.merged = {
      by: at.standIn.state.user("lena"),
      sha: at.standIn.state.commit(at.repository, plain.headSha, {}),
    };
    const nothing = await at.job(mergeOf(other.number, plain.headSha), { actor: "lena" });
    expect([nothing.outputs["status"], nothing.outputs["reason-code"]], nothing.log).toEqual([
      "nothing",
      "merge_not_allowed",
    ]);
    expect(await at.readers(other.target)).toBeNull();
  });

  test("of a squash whose files differ from the audited ones publishes nothing (O46)", async () => {
    next += 1;
    const target = `t${next}`;
    const number = next;
    const pull = at.open(number, target, {
      contract: merging,
      baseFiles: { [CONTRACT]: at.contract(target, merging) },
    });
    await at.audit(number);
    pull.state = "closed";
    pull.merged = {
      by: at.standIn.state.user("lena"),
      sha: at.standIn.state.commit(at.repository, pull.headSha, { [DELIVERY]: "another file" }),
    };
    const end = await at.job(mergeOf(number, pull.headSha), { actor: "lena" });
    expectRefused(end, "contract_changed");
    expect(await at.readers(target)).toBeNull();
  });
});
