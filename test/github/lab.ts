// A repository on the stand-in for GitHub and a client for it; every request and answer is checked against GitHub's own description.
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect } from "vitest";
import { type GitHubStandIn, startGitHubStandIn } from "../../src/demo/github/server.ts";
import type { StandInPull, StandInRepository, StandInState } from "../../src/demo/github/state.ts";
import { gitBlobId } from "../../src/domain/fingerprint.ts";
import type { RunRecord } from "../../src/domain/manifest.ts";
import { parseRunId, type RunId } from "../../src/domain/run.ts";
import { githubClient } from "../../src/github/client.ts";
import type { GitHub } from "../../src/github/port.ts";
import { openApiInspector } from "../fake-github/inspector.ts";

export const BOT = "github-actions[bot]";
export const TOKEN = "ghs_secretsecretsecret";
export const REPOSITORY = "acme/data";
export const CONTRACT = "contracts/orders.yml";
export const SQL = "transforms/orders.sql";

export interface Lab {
  standIn: GitHubStandIn;
  state: StandInState;
  repository: StandInRepository;
  /** The commit that main points to at first: CODEOWNERS, the contract and its transform. */
  main: string;
  github: GitHub;
  warnings: string[];
  /** A client with another token, or with a team token beside the first. */
  client: (token: string, teamToken?: string) => GitHub;
  /** Moves main by one commit. */
  moveMain: (files: Record<string, string | null>) => string;
  /** rosa's pull request that changes the contract. */
  open: (number: number, files?: Record<string, string | null>, base?: string) => StandInPull;
  operations: () => readonly string[];
}

/** A fresh one for each test; afterwards nothing that went over the wire was unlike GitHub. */
export function useLab(): Lab {
  const lab = {} as Lab;
  beforeEach(async () => {
    const standIn = await startGitHubStandIn(openApiInspector);
    const { state } = standIn;
    const repository = state.addRepository(REPOSITORY, {
      lena: "maintain",
      omar: "write",
      rosa: "write",
      adam: "admin",
      tess: "triage",
      rick: "read",
    });
    const main = state.commit(repository, null, {
      ".github/CODEOWNERS": "* @nobody\n/contracts/ @lena\n/transforms/ @lena\n",
      [CONTRACT]: "v1",
      [SQL]: "SELECT 1",
    });
    repository.branches.set("main", main);
    state.tokens.set(TOKEN, {
      login: BOT,
      permissions: { contents: "read", pull_requests: "write", checks: "write" },
    });
    const warnings: string[] = [];
    const client = (token: string, teamToken?: string): GitHub =>
      githubClient({
        token,
        ...(teamToken === undefined ? {} : { teamToken }),
        repository: REPOSITORY,
        apiUrl: standIn.url,
        warn: (sentence) => warnings.push(sentence),
      });
    Object.assign(lab, {
      standIn,
      state,
      repository,
      main,
      warnings,
      client,
      github: client(TOKEN),
      moveMain: (files: Record<string, string | null>) => {
        const moved = state.commit(repository, repository.branches.get("main") ?? main, files);
        repository.branches.set("main", moved);
        return moved;
      },
      open: (number: number, files: Record<string, string | null> = { [CONTRACT]: "v2" }, base = main) => {
        const headSha = state.commit(repository, base, files);
        return state.addPull(repository, {
          number,
          title: "Orders",
          author: "rosa",
          headSha,
          baseSha: base,
          files: Object.keys(files),
        });
      },
      operations: () => standIn.log.map(({ operation }) => operation),
    });
  });
  afterEach(async () => {
    await lab.standIn.stop();
    expect(lab.standIn.violations, "every request and answer is GitHub's").toEqual([]);
  });
  return lab;
}

export function newRunId(): RunId {
  const id = parseRunId(randomUUID());
  if (id === null) throw new Error("no run id");
  return id;
}

/** An audited run of a pull request's head, as far as decisions about it look. */
export function runOf(lab: Lab, pull: StandInPull, paths: readonly string[] = [CONTRACT, SQL]): RunRecord {
  const tree = lab.repository.trees.get(pull.headSha);
  const blobs = Object.fromEntries(
    paths.map((path) => [path, gitBlobId(tree?.get(path) ?? Buffer.from("absent"))]),
  );
  const record: Partial<RunRecord> = {
    runId: newRunId(),
    status: "audited",
    createdAt: "2026-11-26T06:00:00Z",
    contractPath: CONTRACT,
    provenance: {
      kind: "github",
      repository: REPOSITORY,
      repositoryId: `${lab.repository.id}`,
      pullRequest: pull.number,
      headSha: pull.headSha,
      baseRef: pull.baseRef,
      baseSha: lab.repository.branches.get(pull.baseRef) ?? pull.baseSha,
      initiator: { id: `${lab.state.user("rosa").id}`, login: "rosa" },
      workflowRun: null,
      blobs,
    },
  };
  return record as RunRecord;
}
