// A repository on the stand-in for GitHub, a database, and the built Action: what the acceptance tests play on.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type GitHubStandIn, startGitHubStandIn } from "../../src/demo/github/server.ts";
import type { StandInPull, StandInRepository } from "../../src/demo/github/state.ts";
import { commentEvent, type Job, type JobEnd, pullRequestEvent, runJob } from "../../src/demo/job.ts";
import { openApiInspector } from "../fake-github/inspector.ts";
import { type WapDatabase, wapDatabase } from "../harness/wap-database.ts";

const FOLDER = "contracts/flights";
export const CONTRACT = `${FOLDER}/flights.yml`;
export const DELIVERY = `${FOLDER}/deliveries/2013-01-07.csv.gz`;
export const BOT = "github-actions[bot]";

export interface Scene {
  readonly wap: WapDatabase;
  readonly standIn: GitHubStandIn;
  readonly repository: StandInRepository;
  readonly base: string;
  /** The contract for this scene's target and consumer role. */
  readonly contract: (target: string, change?: (text: string) => string) => string;
  /** A pull request by rosa that brings the contract and its delivery. */
  readonly open: (
    number: number,
    target: string,
    options?: {
      contract?: (text: string) => string;
      headRepository?: string;
      author?: string;
      delivery?: Uint8Array;
      baseFiles?: Record<string, string>;
    },
  ) => StandInPull;
  readonly audit: (number: number, options?: Partial<Job>) => Promise<JobEnd>;
  readonly comment: (number: number, login: string, body: string, options?: Partial<Job>) => Promise<JobEnd>;
  readonly job: (event: Job["event"], options?: Partial<Job>) => Promise<JobEnd>;
  readonly runOf: (end: JobEnd) => string;
  readonly evidence: (number: number) => string;
  readonly replies: (number: number) => readonly string[];
  readonly readers: (target: string) => Promise<number | null>;
  readonly end: () => Promise<void>;
}

export const file = (path: string): Buffer => readFileSync(path);

export async function scene(): Promise<Scene> {
  const wap = await wapDatabase("analytics");
  await wap.admin(
    "CREATE SCHEMA ref; CREATE TABLE ref.airlines (carrier text PRIMARY KEY, name text); GRANT USAGE ON SCHEMA ref TO wap_builder, wap_auditor; GRANT SELECT ON ref.airlines TO wap_builder, wap_auditor",
  );
  for (const line of file(`${FOLDER}/airlines.csv`).toString("utf8").trim().split("\n").slice(1)) {
    const [carrier, ...name] = line.split(",");
    await wap.admin("INSERT INTO ref.airlines VALUES ($1, $2)", [carrier, name.join(",")]);
  }
  const standIn = await startGitHubStandIn(openApiInspector);
  const { state } = standIn;
  const token = "ghs_test";
  state.tokens.set(token, {
    login: BOT,
    permissions: { contents: "read", pull_requests: "write", checks: "write" },
  });
  const repository = state.addRepository("acme/flights", {
    lena: "maintain",
    omar: "write",
    rosa: "write",
    adam: "admin",
  });
  const base = state.commit(repository, null, {
    ".github/CODEOWNERS": "* @nobody\n/contracts/ @lena @rosa\n",
  });
  repository.branches.set("main", base);
  const runnerTemp = mkdtempSync(join(tmpdir(), "wap-scene-"));
  const secrets = {
    WAP_BUILD_URL: wap.url(wap.logins.builder),
    WAP_APPROVE_URL: wap.url(wap.logins.approver),
    WAP_PUBLISH_URL: wap.url(wap.logins.publisher),
  };
  const shared = { action: "dist/index.js", standIn, repository, token, runnerTemp };
  const contract: Scene["contract"] = (target, change = (text) => text) =>
    change(
      file(CONTRACT)
        .toString("utf8")
        .replace("consumer_role: analyst", `consumer_role: ${wap.logins.consumer}`)
        .replace("target: analytics.flights", `target: analytics.${target}`)
        .replace("id: flights", `id: ${target}`),
    );
  const pullOf = (number: number): StandInPull => {
    const pull = repository.pulls.get(number);
    if (pull === undefined) throw new Error(`no pull request ${number}`);
    return pull;
  };
  const scene: Scene = {
    wap,
    standIn,
    repository,
    base,
    contract,
    open: (number, target, options = {}) => {
      const files = {
        [CONTRACT]: contract(target, options.contract),
        [`${FOLDER}/flights.sql`]: file(`${FOLDER}/flights.sql`),
        [`${FOLDER}/flights-excluded.sql`]: file(`${FOLDER}/flights-excluded.sql`),
        [DELIVERY]: options.delivery ?? file(DELIVERY),
      };
      const from = options.baseFiles === undefined ? base : state.commit(repository, base, options.baseFiles);
      repository.branches.set("main", from);
      const head = state.commit(repository, from, files);
      return state.addPull(repository, {
        number,
        title: `Flights into ${target}`,
        author: options.author ?? "rosa",
        headSha: head,
        baseSha: from,
        files: Object.keys(files),
        ...(options.headRepository === undefined ? {} : { headRepository: options.headRepository }),
      });
    },
    audit: (number, options = {}) =>
      scene.job(pullRequestEvent(repository, number), {
        actor: pullOf(number).author.login,
        checkout: pullOf(number).headSha,
        secrets: { WAP_BUILD_URL: secrets.WAP_BUILD_URL },
        ...options,
      }),
    comment: (number, login, body, options = {}) =>
      scene.job(commentEvent(number, state.addComment(repository, number, login, body)), {
        actor: login,
        checkout: base,
        secrets: { WAP_APPROVE_URL: secrets.WAP_APPROVE_URL, WAP_PUBLISH_URL: secrets.WAP_PUBLISH_URL },
        ...options,
      }),
    job: (event, options = {}) =>
      runJob({
        ...shared,
        event,
        actor: "rosa",
        checkout: base,
        secrets,
        ...options,
        action: join(process.cwd(), "dist/index.js"),
      }),
    runOf: (end) => {
      const ids: Record<string, string> = JSON.parse(end.outputs["run-ids"] ?? "{}");
      const [id] = Object.values(ids);
      if (id === undefined) throw new Error(`the job made no run:\n${end.log}`);
      return id;
    },
    evidence: (number) =>
      repository.comments.find(
        (one) => one.issue === number && one.author.login === BOT && one.body.includes("wap:evidence"),
      )?.body ?? "",
    replies: (number) =>
      repository.comments
        .filter(
          (one) => one.issue === number && one.author.login === BOT && !one.body.includes("wap:evidence"),
        )
        .map((one) => one.body),
    readers: async (target) => {
      const [there] = await wap.admin("SELECT to_regclass($1) AS r", [`analytics.${target}`]);
      if (there?.["r"] === null) return null;
      return (
        await wap.as(
          wap.logins.publisher,
          `SET ROLE ${wap.logins.consumer}; SELECT count(*)::int AS n FROM analytics.${target}`,
        )
      )[0]?.["n"];
    },
    end: async () => {
      rmSync(runnerTemp, { recursive: true, force: true });
      expect(standIn.violations, "every request and answer is GitHub's").toEqual([]);
      await standIn.stop();
      await wap.end();
    },
  };
  return scene;
}

/** The reasons why a publish by comment is refused stand in the outputs and in the reply. */
export function expectRefused(end: JobEnd, reason: string): void {
  expect({ status: end.outputs["status"], reason: end.outputs["reason-code"] }, end.log).toEqual({
    status: "refused",
    reason,
  });
}
