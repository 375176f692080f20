// Addresses of commits and lines on the GitHub that a run came from; null for a run from elsewhere.
import type { RunRecord } from "../domain/manifest.ts";

/** Origin and repository, from the workflow run's own address: there is more than one GitHub (github R34). */
function repositoryAddress({ provenance }: RunRecord): string | null {
  if (
    provenance.kind !== "github" ||
    provenance.workflowRun === null ||
    !/^[\w.-]+\/[\w.-]+$/.test(provenance.repository)
  )
    return null;
  const origin = /^https?:\/\/[\w.-]+(?::\d+)?(?=\/)/.exec(provenance.workflowRun)?.[0];
  return origin === undefined ? null : `${origin}/${provenance.repository}`;
}

export function commitAddress(run: RunRecord): string | null {
  const repository = repositoryAddress(run);
  if (
    repository === null ||
    run.provenance.kind !== "github" ||
    !/^[0-9a-f]{40,64}$/.test(run.provenance.headSha)
  )
    return null;
  return `${repository}/commit/${run.provenance.headSha}`;
}

/** A line of the contract at the audited commit. */
export function lineAddress(run: RunRecord, line: number): string | null {
  const commit = commitAddress(run);
  const path = run.contractPath.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return commit === null ? null : `${commit.replace("/commit/", "/blob/")}/${path}#L${line}`;
}

/** Short name of the commit that a run is of; null outside git. */
export function shortCommit({ provenance }: RunRecord): string | null {
  const sha = provenance.kind === "github" ? provenance.headSha : provenance.revision;
  return sha === null ? null : sha.slice(0, 7);
}
