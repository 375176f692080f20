// The built Action on a pull request, against a stand-in for GitHub that is held to GitHub's own description, and a real PostgreSQL.
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pullRequestEvent } from "../../src/demo/job.ts";
import { BOT, CONTRACT, DELIVERY, expectRefused, file, type Scene, scene } from "./scene.ts";

let at: Scene;
beforeAll(async () => {
  at = await scene();
});
afterAll(async () => {
  await at.end();
});

describe("an audit", () => {
  test("posts one evidence comment, one check on the head commit, a summary, outputs and files; a second job edits in place and finds the same run", async () => {
    const pull = at.open(1, "one");
    const first = await at.audit(1);
    expect(first.outputs["status"], first.log).toBe("audited");
    const runId = at.runOf(first);
    expect(at.evidence(1)).toContain(`/publish ${runId}`);
    expect(at.evidence(1)).toContain("ready to publish");
    expect(first.summary).toContain("ready to publish");
    const again = await at.audit(1);
    expect(at.runOf(again)).toBe(runId);
    expect(at.repository.comments.filter((one) => one.issue === 1)).toHaveLength(1);
    const checks = at.repository.checks.filter((one) => one.data["head_sha"] === pull.headSha);
    expect(checks.map((one) => [one.data["name"], one.data["conclusion"], one.data["external_id"]])).toEqual([
      ["wap/audit: one", "success", runId],
    ]);
  });

  test("that fails says so with the contract's line, fails the job, and leaves a failed check with one annotation an audit (R6)", async () => {
    const lines = gunzipSync(file(DELIVERY)).toString("utf8").split("\n");
    const pull = at.open(2, "two", { delivery: gzipSync([...lines.slice(0, -1), lines[5], ""].join("\n")) });
    const end = await at.audit(2);
    expect([end.exitCode, end.outputs["status"], end.outputs["reason-code"]]).toEqual([
      1,
      "failed",
      "audit_failed",
    ]);
    expect(at.evidence(2)).toContain("1 of 17 audits failed");
    const check = at.repository.checks.find((one) => one.data["head_sha"] === pull.headSha);
    expect(check?.data["conclusion"]).toBe("failure");
    const line =
      at
        .contract("two")
        .split("\n")
        .findIndex((text) => text.includes("flight_key:")) + 1;
    expect(check?.annotations).toMatchObject([
      { path: CONTRACT, start_line: line, title: "grain.flight_key" },
    ]);
    const refused = await at.comment(2, "lena", `/publish ${at.runOf(end)}`);
    expectRefused(refused, "not_audited");
    expect(await at.readers("two")).toBeNull();
  });

  test("of a contract that does not parse lists its problems, fails the check, and touches no database", async () => {
    at.open(3, "three", { contract: (text) => text.replace("check: range", "chekc: range") });
    const end = await at.audit(3, { secrets: {} });
    expect([end.exitCode, end.outputs["reason-code"]], end.log).toEqual([1, "contract_invalid"]);
    expect(end.log).toContain(`file=${CONTRACT}`);
    expect(at.evidence(3)).toContain("contract_invalid");
  });

  test("of a fork does no database work and ends neutral (O47)", async () => {
    at.open(4, "four", { headRepository: "mallory/flights", author: "mallory" });
    const end = await at.audit(4, { secrets: {} });
    expect([end.exitCode, end.outputs["status"], end.outputs["reason-code"]]).toEqual([
      0,
      "nothing",
      "fork_without_credentials",
    ]);
    expect(end.summary).toContain("comes from a fork");
    expect(at.repository.checks.at(-1)?.data["conclusion"]).toBe("neutral");
    expect(at.evidence(4)).toBe("");
  });

  test("of a change that touches no contract does nothing and succeeds", async () => {
    const pull = at.open(5, "five");
    pull.files = ["README.md"];
    const end = await at.audit(5);
    expect([end.exitCode, end.outputs["reason-code"]]).toEqual([0, "nothing_affected"]);
  });

  test("shows neither password nor connection string anywhere (U4)", async () => {
    const secret = "pa's/s&w0rd-é";
    await at.wap.admin(
      `CREATE ROLE secret_${at.wap.logins.builder} LOGIN PASSWORD 'x'; GRANT wap_builder, wap_auditor TO secret_${at.wap.logins.builder}`,
    );
    const url = at.wap.url(`secret_${at.wap.logins.builder}`).replace("@", `:${encodeURIComponent(secret)}@`);
    at.open(6, "six");
    const good = await at.audit(6, { secrets: { WAP_BUILD_URL: url } });
    expect(good.outputs["status"], good.log).toBe("audited");
    const bad = await at.audit(6, {
      secrets: { WAP_BUILD_URL: url.replace("127.0.0.1", "127.0.0.2").replace(/:(\d+)\//, ":1/") },
    });
    expect([bad.exitCode, bad.outputs["reason-code"]]).toEqual([1, "connection_failed"]);
    const tables = await at.wap.admin(
      "SELECT (SELECT string_agg(m::text, '') FROM wap_admin.manifests m) || (SELECT string_agg(r::text, '') FROM wap_admin.runs r) AS text",
    );
    const written =
      [good, bad]
        .map((end) => end.log.replace(/::add-mask::.*/g, "") + end.summary + JSON.stringify(end.outputs))
        .join("") +
      at.evidence(6) +
      String(tables[0]?.["text"]);
    for (const form of [secret, encodeURIComponent(secret), url]) expect(written.includes(form)).toBe(false);
  });
});

test("a dry run tells the plan and creates nothing: no run, no comment, no check", async () => {
  at.open(7, "seven");
  const end = await at.audit(7, { inputs: { "dry-run": "true" } });
  expect([end.exitCode, end.outputs["status"]], end.log).toEqual([0, "nothing"]);
  expect(end.summary).toContain("Dry run: nothing was created.");
  expect(end.summary).toContain("does not exist yet");
  expect(at.evidence(7)).toBe("");
  expect(
    await at.wap.admin("SELECT count(*)::int AS n FROM wap_admin.manifests WHERE contract_id = 'seven'"),
  ).toEqual([{ n: 0 }]);
});

describe("the evidence comment", () => {
  test("is found by its marker and its author: a planted marker is not touched, a deleted comment is written again (R27, R29)", async () => {
    at.open(10, "ten");
    const planted = at.standIn.state.addComment(
      at.repository,
      10,
      "mallory",
      "mine <!-- wap:evidence acme/flights#10 -->",
    );
    await at.audit(10);
    expect(planted.body).toContain("mine");
    const ours = at.repository.comments.findIndex((one) => one.issue === 10 && one.author.login === BOT);
    at.repository.comments.splice(ours, 1);
    await at.audit(10);
    expect(at.repository.comments.filter((one) => one.issue === 10 && one.author.login === BOT)).toHaveLength(
      1,
    );
  });

  test("that GitHub refuses changes no verdict: the run stays audited (R21, R26)", async () => {
    at.open(11, "eleven");
    for (const operation of ["issues/create-comment", "checks/create"])
      at.standIn.faults.push({ operation, status: 403, times: 5, body: { message: "no" } });
    const end = await at.audit(11);
    at.standIn.faults.length = 0;
    expect([end.exitCode, end.outputs["status"]], end.log).toEqual([0, "audited"]);
    expect(end.log).toContain("::warning");
  });

  test("is not written over by a job of an older commit (R8)", async () => {
    const pull = at.open(12, "twelve");
    const old = pull.headSha;
    const event = pullRequestEvent(at.repository, 12, "synchronize");
    let asked = 0;
    at.standIn.onRequest = (operation) => {
      // The head moves after the audit, just before the comment is written.
      if (operation === "pulls/get") asked += 1;
      if (operation === "pulls/get" && asked === 2)
        at.standIn.state.push(
          pull,
          at.standIn.state.commit(at.repository, old, { "README.md": "newer" }),
          "rosa",
        );
    };
    const end = await at.job(event, { checkout: old });
    at.standIn.onRequest = null;
    expect(end.log).toContain("left to the run of the newer commit");
    expect(at.evidence(12)).not.toContain("ready to publish");
  });
});
