// The check run of one contract: its title, its summary, and one annotation a failed audit at the contract's line.
import type { Reading } from "../domain/audits/check.ts";
import type { RunRecord } from "../domain/manifest.ts";
import { CHECK_LIMIT, joinWithin } from "./budget.ts";
import { contractOf, failedReadings, failureOf, gatingReadings } from "./bundle.ts";
import { auditTable, glance, whyFailed } from "./comment-parts.ts";
import { forTerminal } from "./escape.ts";

export interface Annotation {
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly message: string;
}

export interface CheckOutput {
  readonly conclusion: "success" | "failure";
  readonly title: string;
  readonly summary: string;
  readonly annotations: readonly Annotation[];
}

export function checkOutput(run: RunRecord, lineOf: (reading: Reading) => number | null): CheckOutput {
  const failed = failedReadings(run);
  const gating = gatingReadings(run);
  const good = run.status !== "failed" && run.status !== "building" && run.status !== "built";
  const title = good
    ? `${gating.length} audits pass; run ${run.runId}`
    : failed.length > 0
      ? `${failed.length} of ${gating.length} audits failed`
      : `stopped: ${failureOf(run)?.reason ?? run.status}`;
  const parts = [
    {
      text: good ? `Run \`${run.runId}\` can be published after approval.` : whyFailed(run),
      sacrifice: null,
      rank: 0,
    },
    ...(run.stageRowCount === null ? [] : [{ text: glance(run), sacrifice: "the table", rank: 2 }]),
    ...(run.readings.length === 0
      ? []
      : [{ text: auditTable(run.readings), sacrifice: "the audits", rank: 1 }]),
  ];
  const annotations: Annotation[] = failed.map((reading) => ({
    path: run.contractPath,
    line: lineOf(reading) ?? 1,
    title: `${reading.clause}.${reading.name}`.slice(0, 255),
    message: forTerminal(`${reading.observed.finding} (expected: ${reading.expectation})`).slice(0, 4000),
  }));
  if (!good && failed.length === 0) {
    annotations.push({
      path: run.contractPath,
      line: 1,
      title: failureOf(run)?.reason ?? run.status,
      message: forTerminal(failureOf(run)?.detail ?? "the run failed").slice(0, 4000),
    });
  }
  return {
    conclusion: good ? "success" : "failure",
    title: `${contractOf(run).id}: ${title}`.slice(0, 200),
    summary: joinWithin(parts, "", CHECK_LIMIT),
    annotations,
  };
}
