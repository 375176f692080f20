// pull_request: every contract that the change touches is audited at the head commit, and the evidence is shown.
import * as core from "@actions/core";
import {
  auditRequest,
  type LoadedContract,
  loadContract,
  planOf,
  repositoryBlobs,
  repositoryFiles,
  validContract,
  withAuditDuties,
} from "../compose.ts";
import { contractPaths } from "../contract-paths.ts";
import type { Contract } from "../domain/contract.ts";
import { InvalidInput, WapError } from "../domain/errors.ts";
import type { RunRecord } from "../domain/manifest.ts";
import type { Refusal } from "../domain/outcome.ts";
import { newRunId } from "../domain/run.ts";
import { auditingComment, type ContractRefused, markerOf } from "../evidence/comment.ts";
import { forTerminal } from "../evidence/escape.ts";
import { planLines } from "../evidence/terminal.ts";
import { upsertComment } from "../github/evidence-comment.ts";
import type { PullRequest } from "../github/port.ts";
import { type AuditDuties, auditDelivery } from "../steps/index.ts";
import type { Host } from "./host.ts";
import type { Result } from "./outputs.ts";
import { showEvidence, warningOnly, writeSummary } from "./show-evidence.ts";

/** @param fresh true for a new run even where one of the same bytes exists (`/audit`). @param only audits just this contract. */
export async function auditPullRequest(
  host: Host,
  number: number,
  options: { readonly fresh: boolean; readonly only: string | null },
): Promise<Result> {
  const { github, surroundings, inputs } = host;
  const pull = await github.pullRequest(number);
  const changed = new Set(await github.changedFiles(number));
  const paths = await contractPaths(surroundings.root, inputs.contracts);
  const loaded = await Promise.all(paths.map((path) => loadContract(surroundings, path)));
  const affected = loaded.filter(
    (one) => isAffected(one, changed) && (options.only === null || one.contract?.id === options.only),
  );
  if (affected.length === 0) {
    await writeSummary("No contract is touched by this pull request.");
    return { status: "nothing", reason: "nothing_affected", runs: [] };
  }
  if (inputs.dryRun) return planOnly(host, affected);
  await warningOnly(host, "the evidence comment could not be written", () => {
    const marker = markerOf(github.repository, number);
    return upsertComment(
      github,
      number,
      marker,
      auditingComment(
        affected.map((one) => one.contract?.id ?? one.path),
        pull.headSha,
        marker,
      ),
    );
  });

  const refused: ContractRefused[] = [];
  const audited: RunRecord[] = [];
  for (const one of affected) {
    core.startGroup(one.contract?.id ?? one.path);
    try {
      audited.push(...(await auditOne(host, pull, one, options.fresh)));
    } catch (error) {
      if (!(error instanceof InvalidInput) && !(error instanceof Refused)) throw error;
      refused.push({ contractId: one.contract?.id ?? one.path, path: one.path, refusal: error.refusal });
      annotate(host, one, error);
    } finally {
      core.endGroup();
    }
  }

  const contract = affected.find((one) => one.contract !== null)?.contract ?? null;
  const runs =
    contract === null
      ? await showWithoutDatabase(host, pull, refused)
      : await withAuditDuties(surroundings, contract, null, ({ reader }) =>
          showEvidence(host, { pull, reader, refused, blocked: new Map() }),
        );
  const failed = audited.find((run) => run.status === "failed");
  const reason = refused[0]?.refusal.code ?? failed?.transitions.at(-1)?.reason ?? null;
  return { status: reason === null ? "audited" : "failed", reason, runs };
}

/** `dry-run`: the publication plan of each contract, read-only; nothing is created, no comment and no check is written. */
async function planOnly(host: Host, affected: readonly LoadedContract[]): Promise<Result> {
  const said: string[] = [];
  let reason: Result["reason"] = null;
  for (const loaded of affected) {
    const contract = validContract(loaded);
    const planned = await planOf(host.surroundings, contract, null);
    if (planned.ok) said.push(...planLines(contract.id, planned.value.report, planned.value.plan));
    else {
      reason = planned.refusal.code;
      said.push(`${contract.id}: ${planned.refusal.code} ${planned.refusal.message}`);
    }
  }
  for (const line of said) core.info(host.redact(forTerminal(line)));
  await writeSummary(
    host.redact(
      ["Dry run: nothing was created.", "", ...said.map((line) => `    ${forTerminal(line)}`)].join("\n"),
    ),
  );
  return { status: reason === null ? "nothing" : "failed", reason: reason ?? "nothing_to_do", runs: [] };
}

/** A contract that cannot be run at all, as an error that ends its own audit only. */
class Refused extends WapError {}

/** Contracts whose files the pull request changes; one that does not parse counts when it is itself changed. */
function isAffected({ path, contract }: LoadedContract, changed: ReadonlySet<string>): boolean {
  const files = contract === null ? [path] : repositoryFiles(path, contract);
  return files.some((file) => changed.has(file));
}

async function auditOne(
  host: Host,
  pull: PullRequest,
  loaded: LoadedContract,
  fresh: boolean,
): Promise<RunRecord[]> {
  const { surroundings } = host;
  const contract = validContract(loaded);
  const blobs = await repositoryBlobs(surroundings.root, loaded.path, contract);
  return withAuditDuties(surroundings, contract, null, async (duties) => {
    const before = fresh ? null : await sameRun(host, pull, contract, blobs, duties);
    if (before !== null) {
      core.info(`wap: run ${before.runId} of the same bytes is there already: ${before.status}`);
      return [before];
    }
    const provenance = {
      kind: "github" as const,
      repository: host.github.repository,
      repositoryId: pull.repositoryId,
      pullRequest: pull.number,
      headSha: pull.headSha,
      baseRef: pull.baseRef,
      baseSha: pull.baseSha,
      initiator: host.initiator,
      workflowRun: host.workflowRun,
      blobs,
    };
    const result = await auditDelivery(
      await auditRequest(surroundings, loaded, newRunId(), provenance, pull.headSha),
      duties,
    );
    if (result.runId === null) {
      const refusal: Refusal = result.ok ? { code: "internal", message: "no run" } : result.refusal;
      throw new Refused(
        refusal.code,
        refusal.message,
        refusal.next === undefined ? {} : { next: refusal.next },
      );
    }
    const record = await duties.reader.run(result.runId);
    return record === null ? [] : [record];
  });
}

/** A run of exactly these files at this head that still can be published: a job that runs again finds it (github R19). */
async function sameRun(
  host: Host,
  pull: PullRequest,
  contract: Contract,
  blobs: Readonly<Record<string, string>>,
  { reader }: AuditDuties,
): Promise<RunRecord | null> {
  const [newest] = await reader.runs({
    repository: host.github.repository,
    pullRequest: pull.number,
    contractId: contract.id,
    limit: 1,
  });
  if (
    newest === undefined ||
    newest.provenance.kind !== "github" ||
    newest.provenance.headSha !== pull.headSha
  )
    return null;
  const same =
    JSON.stringify(Object.entries(newest.provenance.blobs).sort()) ===
    JSON.stringify(Object.entries(blobs).sort());
  return same && ["audited", "approved", "published"].includes(newest.status) ? newest : null;
}

function annotate(host: Host, loaded: LoadedContract, error: WapError): void {
  const problems = error instanceof InvalidInput ? error.problems : [];
  for (const problem of problems)
    core.error(host.redact(problem.message), {
      file: problem.path,
      startLine: problem.line,
      startColumn: problem.column,
      title: problem.code,
    });
  if (problems.length === 0)
    core.error(host.redact(error.message), { file: loaded.path, startLine: 1, title: error.code });
}

/** No contract parses, so no database is named: the comment still says what is wrong. */
async function showWithoutDatabase(
  host: Host,
  pull: PullRequest,
  refused: readonly ContractRefused[],
): Promise<readonly RunRecord[]> {
  const reader = { run: async () => null, runs: async () => [] };
  return showEvidence(host, { pull, reader, refused, blocked: new Map() });
}
