// After every change of state: the evidence comment, the checks, the summary and the files, all printed from the control tables.
import * as core from "@actions/core";
import { type LoadedContract, loadContract } from "../compose.ts";
import type { Reading } from "../domain/audits/check.ts";
import { WapError } from "../domain/errors.ts";
import type { RunRecord } from "../domain/manifest.ts";
import type { Refusal } from "../domain/outcome.ts";
import { contractOf } from "../evidence/bundle.ts";
import { checkOutput } from "../evidence/check-output.ts";
import { type ContractRefused, evidenceComment, markerOf } from "../evidence/comment.ts";
import type { ContractView } from "../evidence/contract-view.ts";
import { jobSummary } from "../evidence/summary.ts";
import { whoMay } from "../github/authorization.ts";
import { upsertComment } from "../github/evidence-comment.ts";
import type { PullRequest } from "../github/port.ts";
import type { ControlReader } from "../ports.ts";
import type { Host } from "./host.ts";
import { writeEvidence } from "./outputs.ts";
import { policyAt } from "./policy.ts";

export interface Shown {
  readonly pull: PullRequest;
  readonly reader: ControlReader;
  /** Contracts that no run could be made of. */
  readonly refused: readonly ContractRefused[];
  /** Why a run cannot be published now, by run id. */
  readonly blocked: ReadonlyMap<string, Refusal>;
}

/** The newest run of each contract of the pull request, with its history. */
export async function newestRuns(
  reader: ControlReader,
  repository: string,
  pullRequest: number,
): Promise<ReadonlyMap<string, readonly RunRecord[]>> {
  const byContract = new Map<string, RunRecord[]>();
  for (const run of await reader.runs({ repository, pullRequest, limit: 1000 })) {
    const id = contractOf(run).id;
    byContract.set(id, [...(byContract.get(id) ?? []), run]);
  }
  return byContract;
}

/**
 * Writes everything that people see. GitHub may fail here: the database has decided already, and a failure is a warning (github R21, R26).
 * An older head never overwrites a newer one: the pull request is read again just before.
 */
export async function showEvidence(
  host: Host,
  { pull, reader, refused, blocked }: Shown,
): Promise<readonly RunRecord[]> {
  const { github } = host;
  const runs = await newestRuns(reader, github.repository, pull.number);
  const views: ContractView[] = [];
  for (const history of runs.values()) {
    // Runs of an earlier commit whose contract the pull request no longer touches stay in the history only.
    const live = history.filter(
      (run) =>
        run.status === "published" ||
        run.status === "rolled_back" ||
        (run.provenance.kind === "github" && run.provenance.headSha === pull.headSha),
    );
    const run = live[0];
    if (run === undefined) continue;
    const policy = await policyAt(host, run.contractPath, pull.baseSha);
    const loaded = await loadContract(host.surroundings, run.contractPath).catch(() => null);
    views.push({
      run,
      history,
      blocked: blocked.get(run.runId) ?? null,
      whoMay: await whoMay(github, run.contractPath, pull.baseSha, policy, host.inputs.approvers),
      author: policy.allowAuthor ? null : pull.author,
      validUntil: new Date(new Date(run.createdAt).getTime() + policy.maxRunAgeMs).toISOString(),
      lineOf: lineIn(loaded),
      links: { report: null, workflowRun: host.workflowRun },
    });
  }
  for (const { run } of views) await writeEvidence(host.evidenceDirectory, run);
  if (views.length === 0 && refused.length === 0) return [];

  const marker = markerOf(github.repository, pull.number);
  const body = evidenceComment(views, refused, marker);
  await warningOnly(host, "the evidence comment could not be written", async () => {
    const now = await github.pullRequest(pull.number);
    if (now.headSha === pull.headSha || pull.state === "closed")
      await upsertComment(github, pull.number, marker, body);
    else core.info("wap: the evidence comment is left to the run of the newer commit");
  });
  for (const { run, lineOf } of views) {
    const { conclusion, title, summary, annotations } = checkOutput(run, lineOf);
    await warningOnly(host, "the check run could not be written", () =>
      github.publishCheck({
        name: `wap/audit: ${contractOf(run).id}`,
        headSha: headOf(run, pull),
        externalId: run.runId,
        conclusion,
        title,
        summary,
        annotations,
      }),
    );
  }
  for (const { contractId, path, refusal } of refused) {
    const title = `${contractId}: ${refusal.code}`.slice(0, 200);
    await warningOnly(host, "the check run could not be written", () =>
      github.publishCheck({
        name: `wap/audit: ${contractId}`,
        headSha: pull.headSha,
        externalId: `${path}@${pull.headSha}`,
        conclusion: "failure",
        title,
        summary: refusal.message,
        annotations: [{ path, line: 1, title: refusal.code, message: refusal.message }],
      }),
    );
  }
  await warningOnly(host, "the job summary could not be written", () =>
    writeSummary(jobSummary(views, refused)),
  );
  return views.map(({ run }) => run);
}

const headOf = (run: RunRecord, pull: PullRequest): string =>
  run.provenance.kind === "github" ? run.provenance.headSha : pull.headSha;

const lineIn =
  (loaded: LoadedContract | null) =>
  ({ clause, name }: Reading): number | null =>
    loaded === null ? null : loaded.positionOf(["clauses", clause, name]).line;

export async function writeSummary(markdown: string): Promise<void> {
  await core.summary.addRaw(markdown, true).write();
}

/** Runs a write to GitHub whose failure changes no decision. */
export async function warningOnly(host: Host, what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const why =
      error instanceof WapError ? error.message : error instanceof Error ? error.message : String(error);
    core.warning(host.redact(`${what}: ${why}`));
  }
}
