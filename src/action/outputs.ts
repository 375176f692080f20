// The Action's outputs and its evidence files (product: Action inputs and outputs).
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as core from "@actions/core";
import type { RunRecord } from "../domain/manifest.ts";
import type { ReasonCode } from "../domain/outcome.ts";
import { contractOf, evidenceDigest, evidenceOf } from "../evidence/bundle.ts";
import { reportHtml } from "../evidence/report.ts";

export interface Result {
  /** audited, failed, published, rolled_back, refused, nothing */
  readonly status: "audited" | "failed" | "published" | "rolled_back" | "refused" | "nothing";
  readonly reason: ReasonCode | null;
  readonly runs: readonly RunRecord[];
}

export function setOutputs(result: Result, directory: string | null): void {
  core.setOutput(
    "run-ids",
    JSON.stringify(Object.fromEntries(result.runs.map((run) => [contractOf(run).id, run.runId]))),
  );
  core.setOutput("status", result.status);
  core.setOutput("reason-code", result.reason ?? "");
  core.setOutput("published", `${result.status === "published"}`);
  const [only] = result.runs;
  core.setOutput(
    "evidence-path",
    directory === null
      ? ""
      : result.runs.length === 1 && only !== undefined
        ? join(directory, only.runId, "evidence.json")
        : directory,
  );
  core.setOutput(
    "report-path",
    directory === null
      ? ""
      : result.runs.length === 1 && only !== undefined
        ? join(directory, only.runId, "report.html")
        : directory,
  );
}

/** Writes `<run id>/evidence.json` and `report.html`; a later step of the job can upload the folder. */
export async function writeEvidence(directory: string, run: RunRecord): Promise<void> {
  const folder = join(directory, run.runId);
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "evidence.json"),
    `${JSON.stringify({ ...evidenceOf(run), digest: evidenceDigest(run) }, null, 2)}\n`,
  );
  await writeFile(join(folder, "report.html"), reportHtml(run));
}
