// Check runs: on the head commit, one a run, with every annotation once (github R6, R33).
import { describe, expect, test } from "vitest";
import type { CheckRun } from "../../src/github/port.ts";
import { BOT, CONTRACT, useLab } from "./lab.ts";

const lab = useLab();

const check = (annotations: number, change: Partial<CheckRun> = {}): CheckRun => ({
  name: "wap/audit: orders",
  headSha: "a".repeat(40),
  externalId: "3f0c8a52-6d1e-4b7a-9c55-0e2f1d3b4a69",
  conclusion: "failure",
  title: "orders: 2 of 9 audits failed",
  summary: "volume",
  annotations: Array.from({ length: annotations }, (_, n) => ({
    path: CONTRACT,
    line: n + 1,
    title: `audit ${n}`,
    message: "failed",
  })),
  ...change,
});

describe("a check run", () => {
  test("is made on the head commit with the run's id, and edited afterwards", async () => {
    await lab.github.publishCheck(check(1));
    await lab.github.publishCheck(check(0, { conclusion: "success", title: "published" }));
    expect(lab.repository.checks).toHaveLength(1);
    expect(lab.repository.checks[0]?.data).toMatchObject({
      name: "wap/audit: orders",
      head_sha: "a".repeat(40),
      external_id: "3f0c8a52-6d1e-4b7a-9c55-0e2f1d3b4a69",
      status: "completed",
      conclusion: "success",
      output: { title: "published" },
    });
  });

  test("of another run or another commit is another one", async () => {
    await lab.github.publishCheck(check(0));
    await lab.github.publishCheck(check(0, { externalId: "another" }));
    await lab.github.publishCheck(check(0, { headSha: "b".repeat(40) }));
    expect(lab.repository.checks).toHaveLength(3);
  });

  test("sends annotations by fifty, and none a second time: GitHub appends them", async () => {
    await lab.github.publishCheck(check(120));
    expect(lab.operations()).toEqual([
      "checks/list-for-ref",
      "checks/create",
      "checks/update",
      "checks/update",
    ]);
    await lab.github.publishCheck(check(120));
    const [made] = lab.repository.checks;
    const lines = made?.annotations.map((one) =>
      typeof one === "object" && one !== null && !Array.isArray(one) ? one["start_line"] : null,
    );
    expect(lines).toEqual(Array.from({ length: 120 }, (_, n) => n + 1));
  });

  test("that may not be written is a warning; that cannot be written is a fault", async () => {
    lab.state.tokens.set("ghs_no_checks", { login: BOT, permissions: { checks: "read" } });
    await lab.client("ghs_no_checks").publishCheck(check(0));
    expect(lab.warnings).toEqual([expect.stringContaining("checks: write")]);
    lab.standIn.faults.push({ operation: "checks/create", status: 422, times: 1 });
    await expect(lab.github.publishCheck(check(0))).rejects.toMatchObject({ code: "github_unavailable" });
  });
});
