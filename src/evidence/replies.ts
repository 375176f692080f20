// One reply to each command: what happened, or which condition says no, who may instead, and the exact next step.
import type { RunRecord } from "../domain/manifest.ts";
import { grouped, readableInstant } from "../domain/numbers.ts";
import { nextStepOf, type Refusal } from "../domain/outcome.ts";
import { contractOf } from "./bundle.ts";
import { inCode } from "./escape.ts";
import { plain, table } from "./markdown.ts";

/** One condition of a decision. */
export interface ConditionText {
  readonly name: string;
  readonly verdict: "yes" | "no" | "unknown";
  readonly sentence: string;
}

const MARKS = { yes: "✓", no: "✗", unknown: "cannot know" } as const;

export const conditionTable = (conditions: readonly ConditionText[]): string =>
  table(
    ["", "condition", ""],
    conditions.map((one) => [MARKS[one.verdict], plain(one.name), plain(one.sentence)]),
  );

export const publishedReply = (run: RunRecord): string =>
  `📦 ${inCode(contractOf(run).id)} is published: readers of ${inCode(run.preflight.target.name)} see ${grouped(run.stageRowCount ?? "?")} rows since ${readableInstant(run.publishedAt ?? run.createdAt)}. Verified: ${run.verification.filter((check) => check.passed).length} of ${run.verification.length} checks.`;

export const rolledBackReply = (run: RunRecord): string =>
  `↩️ ${inCode(contractOf(run).id)} is rolled back: readers of ${inCode(run.preflight.target.name)} see the version before again. Verified: ${run.verification.filter((check) => check.passed).length} of ${run.verification.length} checks.`;

export const refusedReply = (refusal: Refusal, conditions: readonly ConditionText[] = []): string =>
  [
    `⛔ Nothing was published. ${inCode(refusal.code)}: ${plain(refusal.message)}`,
    ...(conditions.length === 0 ? [] : [conditionTable(conditions)]),
    `Next: ${plain(nextStepOf(refusal))}`,
  ].join("\n\n");

export function statusReply(runs: readonly RunRecord[], conditions: readonly ConditionText[] = []): string {
  if (runs.length === 0) return "There is no run here yet.";
  const rows = runs
    .slice(0, 20)
    .map((run) => [
      `\`${run.runId}\``,
      inCode(contractOf(run).id),
      run.status,
      readableInstant(run.createdAt),
      run.current ? "readers see this" : "",
    ]);
  return [
    table(["run", "contract", "status", "started", ""], rows),
    ...(conditions.length === 0 ? [] : [conditionTable(conditions)]),
  ].join("\n\n");
}

/** `/publish` without a run id publishes nothing and names what could be. */
export function whichRunReply(publishable: readonly RunRecord[]): string {
  if (publishable.length === 0) return "`/publish` needs a run id, and no run here can be published now.";
  return [
    "`/publish` needs the id of the run that you looked at. These can be published:",
    ...publishable.map(
      (run) =>
        `\`\`\`\n/publish ${run.runId}\n\`\`\`\n${inCode(contractOf(run).id)}, ${grouped(run.stageRowCount ?? "?")} rows`,
    ),
  ].join("\n\n");
}

export const HELP_REPLY = [
  "One command in a comment, alone on its first line; anything after that line is a remark.",
  "",
  "| command | does |",
  "| --- | --- |",
  "| `/publish <run-id>` | publishes exactly that run, if you may |",
  "| `/rollback <run-id>` | restores the version before it, if you may |",
  "| `/audit [contract]` | builds and audits the head commit again |",
  "| `/status [run-id]` | what state the runs are in; writes nothing |",
  "| `/wap help` | this text |",
].join("\n");
