// One job of a workflow: the built Action in a process of its own, with the environment that GitHub would give it.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { GitHubStandIn } from "./github/server.ts";
import type { StandInRepository } from "./github/state.ts";

export interface Job {
  /** Path of the built Action. */
  readonly action: string;
  readonly standIn: GitHubStandIn;
  readonly repository: StandInRepository;
  readonly token: string;
  readonly event: { readonly name: string; readonly payload: unknown };
  readonly actor: string;
  /** Commit whose files the job has checked out. */
  readonly checkout: string;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Where the runner keeps what steps leave: evidence files among it. */
  readonly runnerTemp: string;
}

export interface JobEnd {
  readonly exitCode: number;
  readonly outputs: Readonly<Record<string, string>>;
  readonly log: string;
  readonly summary: string;
}

/** Runs the job to its end. Nothing of this process's environment but PATH reaches it. */
export async function runJob(job: Job): Promise<JobEnd> {
  const directory = mkdtempSync(join(tmpdir(), "wap-job-"));
  try {
    const workspace = join(directory, "workspace");
    for (const [path, bytes] of job.repository.trees.get(job.checkout) ?? []) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), bytes);
    }
    mkdirSync(workspace, { recursive: true });
    const file = (name: string, text: string): string => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const environment: Record<string, string> = {
      PATH: process.env["PATH"] ?? "",
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: workspace,
      GITHUB_EVENT_NAME: job.event.name,
      GITHUB_EVENT_PATH: file("event.json", JSON.stringify(job.event.payload)),
      GITHUB_REPOSITORY: job.repository.fullName,
      GITHUB_ACTOR: job.actor,
      GITHUB_ACTOR_ID: `${job.standIn.state.user(job.actor).id}`,
      GITHUB_RUN_ID: "1",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_API_URL: job.standIn.url,
      GITHUB_OUTPUT: file("output", ""),
      GITHUB_STEP_SUMMARY: file("summary.md", ""),
      RUNNER_TEMP: job.runnerTemp,
      "INPUT_GITHUB-TOKEN": job.token,
      ...Object.fromEntries(
        Object.entries(job.inputs ?? {}).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
      ),
      ...job.secrets,
    };
    const { exitCode, log } = await ended(job.action, workspace, environment);
    return {
      exitCode,
      log,
      outputs: outputsIn(readFileSync(join(directory, "output"), "utf8")),
      summary: readFileSync(join(directory, "summary.md"), "utf8"),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function ended(
  action: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ exitCode: number; log: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [action], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    child.stdout.on("data", (chunk: Buffer) => {
      log += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString("utf8");
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ exitCode: code ?? 1, log }));
  });
}

/** The runner's output file: `name<<delimiter`, the value, the delimiter. */
function outputsIn(text: string): Readonly<Record<string, string>> {
  const outputs: Record<string, string> = {};
  for (const match of text.matchAll(/^(.+?)<<(.+)\n([\s\S]*?)\n?\2$/gm))
    outputs[match[1] ?? ""] = match[3] ?? "";
  return outputs;
}

/** The event that GitHub sends for a pull request. */
export const pullRequestEvent = (
  repository: StandInRepository,
  number: number,
  action = "opened",
): Job["event"] => {
  const pull = repository.pulls.get(number);
  return {
    name: "pull_request",
    payload: {
      action,
      number,
      pull_request: {
        merged: pull?.merged !== null,
        head: { sha: pull?.headSha ?? "", repo: { full_name: pull?.headRepository ?? "" } },
        base: { repo: { full_name: repository.fullName } },
      },
    },
  };
};

/** The event that GitHub sends for a new comment on a pull request. */
export const commentEvent = (
  number: number,
  comment: { readonly id: number; readonly body: string },
  action = "created",
): Job["event"] => ({
  name: "issue_comment",
  payload: { action, issue: { number, pull_request: {} }, comment: { id: comment.id, body: comment.body } },
});
