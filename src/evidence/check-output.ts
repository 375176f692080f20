// The check run of one contract: its title, its summary, and one annotation a failed audit at the contract's line.
import type { Reading } from "../domain/audits/check.ts";
import type { RunRecord } from "../domain/manifest.ts";
import { always, CHECK_LIMIT, joinWithin, type Part, RANK } from "./budget.ts";
import { contractOf, evidenceDigest, failedReadings, failureOf, gatingReadings } from "./bundle.ts";
import { auditsPart, ledgerPart, notes } from "./comment/folded.ts";
import { stillSee } from "./comment/states.ts";
import { changedColumns, failedTable, glance } from "./comment/tables.ts";
import { clipped, forTerminal } from "./escape.ts";
import { code, sentence } from "./markdown.ts";

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

/** Two requests of GitHub's 50; a contract with more failed audits than this is read as a whole, not line by line. */
const ANNOTATIONS_SHOWN = 100;

/** Anything but audits that all passed is a failure, never neutral (github R6). */
const isGood = ({ status }: RunRecord): boolean =>
  status !== "failed" && status !== "building" && status !== "built";

export function checkOutput(run: RunRecord, lineOf: (reading: Reading) => number | null): CheckOutput {
  const view = {
    run,
    lineOf,
    history: [run],
    blocked: null,
    whoMay: [],
    author: null,
    validUntil: run.createdAt,
    links: { report: null, workflowRun: null },
  };
  const failed = failedReadings(run);
  const parts: Part[] = [
    always(verdictOf(run)),
    always(failed.length === 0 ? "" : failedTable(view)),
    ...(run.stageRowCount === null
      ? []
      : [{ text: glance(run), sacrifice: "what changes", rank: RANK.plan }]),
    { text: changedColumns(run), sacrifice: "changed columns", rank: RANK.columns },
    always(notes(run)),
    ...auditsPart(run),
    ...ledgerPart(run),
  ];
  return {
    conclusion: isGood(run) ? "success" : "failure",
    title: clipped(`${contractOf(run).id}: ${titleOf(run)}`, 200),
    summary: joinWithin(
      parts,
      `run ${code(run.runId)} · evidence sha256 ${code(evidenceDigest(run))}`,
      CHECK_LIMIT,
    ),
    annotations: annotationsOf(run, lineOf),
  };
}

function titleOf(run: RunRecord): string {
  const gating = gatingReadings(run).length;
  const failed = failedReadings(run).length;
  if (!isGood(run))
    return failed > 0
      ? `${failed} of ${run.expected.length} audits failed`
      : `stopped: ${failureOf(run)?.reason ?? run.status}`;
  const then = {
    published: ", published",
    rolled_back: ", published and rolled back",
    approved: ", approved",
    audited: "",
    building: "",
    built: "",
    failed: "",
  } as const;
  return `${gating} audits pass${then[run.status]}; run ${run.runId}`;
}

function verdictOf(run: RunRecord): string {
  switch (run.status) {
    case "audited":
    case "approved":
      return `Run ${code(run.runId)} can be published after approval. ${stillSee(run, [])}`;
    case "published":
      return "This run is published.";
    case "rolled_back":
      return "This run was published and rolled back.";
    case "building":
    case "built":
      return "The audits did not finish: that is no pass.";
    case "failed":
      return `${sentence(failureOf(run)?.detail ?? "The run failed.", 2_000)}\n\n${stillSee(run, [])} This run cannot be published by anyone.`;
  }
}

function annotationsOf(run: RunRecord, lineOf: (reading: Reading) => number | null): readonly Annotation[] {
  const failed = failedReadings(run);
  const at = (line: number, title: string, message: string): Annotation => ({
    path: run.contractPath,
    line,
    title: clipped(forTerminal(title), 200),
    message: clipped(forTerminal(message), 4_000),
  });
  const shown = failed
    .slice(0, ANNOTATIONS_SHOWN)
    .map((reading) =>
      at(
        lineOf(reading) ?? 1,
        `${reading.clause}.${reading.name}`,
        `${reading.observed.finding} (expected: ${reading.expectation})`,
      ),
    );
  if (failed.length > shown.length)
    shown.push(
      at(
        1,
        "more failed audits",
        `${failed.length - shown.length} more audits failed; the evidence lists them all`,
      ),
    );
  if (!isGood(run) && failed.length === 0)
    shown.push(
      at(1, failureOf(run)?.reason ?? run.status, failureOf(run)?.detail ?? "the run did not finish"),
    );
  return shown;
}
