// What the Action has at hand in a job: the event, the repository, the client, the surroundings.
import * as core from "@actions/core";
import type { Surroundings } from "../compose.ts";
import { WapError } from "../domain/errors.ts";
import { forTerminal } from "../evidence/escape.ts";
import { githubClient } from "../github/client.ts";
import type { GitHub } from "../github/port.ts";
import type { Log } from "../ports.ts";
import type { Inputs } from "./inputs.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Host {
  readonly inputs: Inputs;
  readonly environment: Environment;
  readonly surroundings: Surroundings;
  readonly github: GitHub;
  /** Where evidence files go. */
  readonly evidenceDirectory: string;
  /** URL of this workflow run; null outside GitHub. */
  readonly workflowRun: string | null;
  readonly initiator: { readonly id: string; readonly login: string };
  readonly redact: (text: string) => string;
}

/** Finished steps as one line each; sentences are data and cannot become workflow commands. */
export const actionLog = (redact: (text: string) => string): Log => {
  let startedAt = performance.now();
  const said = (text: string): string => redact(forTerminal(text));
  return {
    started: () => {
      startedAt = performance.now();
    },
    progress: () => undefined,
    finished: (step, ok, sentence, facts) => {
      const pairs = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      core.info(
        said(
          `wap: ${step} ${ok ? "ok" : "failed"} ${seconds}s ${ok && pairs.length > 0 ? pairs.join(" ") : sentence}`,
        ),
      );
    },
    note: (sentence) => core.info(said(`wap: ${sentence}`)),
  };
};

export function repositoryOf(environment: Environment): string {
  const repository = environment["GITHUB_REPOSITORY"];
  if (repository === undefined || !/^[\w.-]+\/[\w.-]+$/.test(repository))
    throw new WapError("usage", "GITHUB_REPOSITORY is not set: the Action runs inside a GitHub workflow");
  return repository;
}

export function clientOf(inputs: Inputs, environment: Environment, redact: (text: string) => string): GitHub {
  if (inputs.token === "") throw new WapError("credential_missing", "the input github-token is empty");
  const teamToken = environment["WAP_TEAM_TOKEN"];
  return githubClient({
    token: inputs.token,
    ...(teamToken === undefined || teamToken === "" ? {} : { teamToken }),
    repository: repositoryOf(environment),
    apiUrl: environment["GITHUB_API_URL"] ?? "https://api.github.com",
    warn: (sentence) => core.warning(redact(sentence)),
  });
}
