// One job: which event, which entry point, and how its end becomes outputs and a conclusion.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as core from "@actions/core";
import { environmentRedactor } from "../compose.ts";
import { WapError } from "../domain/errors.ts";
import { REASONS, type ReasonCode } from "../domain/outcome.ts";
import { redactError } from "../domain/secrets.ts";
import { forTerminal } from "../evidence/escape.ts";
import { parseEvent, type WorkflowEvent } from "../github/events.ts";
import { auditPullRequest } from "./audit-pull-request.ts";
import { answerComment } from "./comment-command.ts";
import { actionLog, clientOf, type Environment, type Host, repositoryOf } from "./host.ts";
import { type Inputs, readInputs } from "./inputs.ts";
import { publishMerged } from "./merged.ts";
import { type Result, setOutputs } from "./outputs.ts";
import { writeSummary } from "./show-evidence.ts";

/** Runs the Action; sets its outputs and fails the job where it has to. Never throws. */
export async function runAction(environment: Environment): Promise<void> {
  const redact = environmentRedactor({ ...environment, WAP_INPUT_TOKEN: core.getInput("github-token") });
  maskSecrets(environment);
  try {
    const inputs = readInputs();
    const event = await eventOf(environment);
    if (event.kind === "ignored") return await nothing(redact(event.sentence), "nothing_to_do");
    if (event.kind === "pull_request_closed")
      return await nothing(
        "The pull request was closed without a merge: nothing is published.",
        "nothing_to_do",
      );
    if (inputs.command === "prune") throw new WapError("usage", "command: prune is not built yet");
    const host = hostOf(inputs, environment, redact);
    if (event.kind === "pull_request" && event.fork) return await fork(host, event);
    if (inputs.dryRun && event.kind !== "pull_request")
      return await nothing("dry-run: comments and merges are not acted upon", "nothing_to_do");
    const result = await dispatch(host, event);
    setOutputs(result, result.runs.length === 0 ? null : host.evidenceDirectory);
    if (result.status === "failed" && inputs.failOnAudit) core.setFailed(redact(conclusion(result)));
  } catch (error) {
    const fault =
      error instanceof WapError
        ? error
        : new WapError("internal", error instanceof Error ? error.message : String(error));
    setOutputs({ status: "failed", reason: fault.code, runs: [] }, null);
    core.setFailed(
      redact(`${fault.code}: ${fault.message}. Next: ${fault.next ?? REASONS[fault.code].next}`),
    );
    const whole = redactError(error, redact);
    if (whole !== redact(fault.message)) core.info(`wap: ${forTerminal(whole)}`);
  }
}

/** `command: auto` takes what the event asks for; any other command only what it names. */
async function dispatch(
  host: Host,
  event: Exclude<WorkflowEvent, { kind: "ignored" | "pull_request_closed" }>,
): Promise<Result> {
  const { command } = host.inputs;
  const asks =
    event.kind === "pull_request" ? "audit" : event.kind === "pull_request_merged" ? "publish" : null;
  if (command !== "auto" && asks !== null && command !== asks)
    return { status: "nothing", reason: "nothing_to_do", runs: [] };
  switch (event.kind) {
    case "pull_request":
      return auditPullRequest(host, event.number, { fresh: false, only: null });
    case "pull_request_merged":
      return publishMerged(host, event.number);
    case "comment":
      return answerComment(host, event);
  }
}

async function eventOf(environment: Environment): Promise<WorkflowEvent> {
  const path = environment["GITHUB_EVENT_PATH"];
  const name = environment["GITHUB_EVENT_NAME"];
  if (path === undefined || name === undefined)
    throw new WapError(
      "usage",
      "GITHUB_EVENT_PATH and GITHUB_EVENT_NAME are not set: the Action runs inside a GitHub workflow",
    );
  return parseEvent(name, JSON.parse(await readFile(path, "utf8")));
}

function hostOf(inputs: Inputs, environment: Environment, redact: (text: string) => string): Host {
  const root = resolve(environment["GITHUB_WORKSPACE"] ?? process.cwd(), inputs.workingDirectory);
  const run = environment["GITHUB_RUN_ID"];
  return {
    inputs,
    environment,
    redact,
    surroundings: { environment, root, now: () => new Date(), log: actionLog(redact) },
    github: clientOf(inputs, environment, redact),
    evidenceDirectory: join(environment["RUNNER_TEMP"] ?? root, "wap-evidence"),
    workflowRun:
      run === undefined
        ? null
        : `${environment["GITHUB_SERVER_URL"] ?? "https://github.com"}/${repositoryOf(environment)}/actions/runs/${run}`,
    initiator: { id: environment["GITHUB_ACTOR_ID"] ?? "", login: environment["GITHUB_ACTOR"] ?? "unknown" },
  };
}

async function nothing(sentence: string, reason: ReasonCode): Promise<void> {
  core.info(`wap: ${sentence}`);
  setOutputs({ status: "nothing", reason, runs: [] }, null);
}

/** A fork's job has no secrets: no database, no comment; a neutral check where the token may write one. */
async function fork(host: Host, event: Extract<WorkflowEvent, { kind: "pull_request" }>): Promise<void> {
  const sentence = `This pull request comes from a fork, so no database work was done. ${REASONS.fork_without_credentials.next}`;
  core.info(`wap: ${sentence}`);
  await writeSummary(sentence);
  await host.github
    .publishCheck({
      name: "wap/audit",
      headSha: event.headSha,
      externalId: `fork-${event.number}`,
      conclusion: "neutral",
      title: "not audited: the pull request comes from a fork",
      summary: sentence,
      annotations: [],
    })
    .catch(() => core.info("wap: the token of a fork may not write a check run"));
  setOutputs({ status: "nothing", reason: "fork_without_credentials", runs: [] }, null);
}

const conclusion = (result: Result): string => {
  const said = result.runs
    .map((run) => run.transitions.at(-1)?.detail)
    .find((detail) => typeof detail === "string");
  return `${result.reason ?? "failed"}: ${said ?? "nothing was published"}`;
};

/** Tells the runner what to mask, besides our own redaction. */
function maskSecrets(environment: Environment): void {
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && value !== "" && /^WAP_.*(URL|TOKEN)$/.test(name)) core.setSecret(value);
}
