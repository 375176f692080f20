// One reply to each command: what happened, or which condition says no, who may instead, and the exact next step.
import type { RunRecord } from "../domain/manifest.ts";
import { grouped, readableInstant, readableMoment } from "../domain/numbers.ts";
import { nextStepOf, type Refusal } from "../domain/outcome.ts";
import { COMMENT_LIMIT, fits } from "./budget.ts";
import { contractOf } from "./bundle.ts";
import { conditionTable } from "./comment/tables.ts";
import type { ConditionText } from "./contract-view.ts";
import { versionBefore } from "./facts.ts";
import { code, fence, firstOf, handle, plain, sentence, table } from "./markdown.ts";

export type { ConditionText } from "./contract-view.ts";

const nameOf = (run: RunRecord): string =>
  `${code(contractOf(run).id)} ${plain(contractOf(run).version, 60)}`;

function verified({ verification }: RunRecord): string {
  if (verification.length === 0) return "Not verified yet.";
  const bad = verification.filter((check) => !check.passed);
  const count = `${verification.length - bad.length} of ${verification.length} checks`;
  return bad.length === 0
    ? `Verified: ${count}.`
    : `⚠️ Verified: ${count}; not ${firstOf(
        bad.map((check) => plain(`${check.name}: ${check.observed}`, 400)),
        5,
        "; ",
      )}.`;
}

export function publishedReply(run: RunRecord): string {
  const undo = run.rollbackName === null ? "" : `\n\nTo undo:\n\n${fence(`/rollback ${run.runId}`)}`;
  return `📦 ${nameOf(run)} is published: readers of ${code(run.preflight.target.name)} see ${grouped(run.stageRowCount ?? "?")} rows since ${readableMoment(run.publishedAt ?? run.createdAt)}. ${verified(run)}${undo}`;
}

export function rolledBackReply(run: RunRecord, others: readonly RunRecord[] = []): string {
  const version = versionBefore(run, others);
  return `↩️ ${nameOf(run)} is rolled back: readers of ${code(run.preflight.target.name)} see ${version === null ? "the version before" : plain(version, 60)} again. ${verified(run)}`;
}

/** A command on its own, where the next step names exactly one: it is copied, not retyped. */
function commandIn(next: string): string | null {
  const commands = [...next.matchAll(/`(\/(?:publish|rollback|audit|status) ?[^`<]*)`/g)].map(
    (match) => match[1] ?? "",
  );
  return commands.length === 1 && /^\/[\x21-\x7e]+(?: [\w.-]+)?$/.test(commands[0] ?? "")
    ? (commands[0] ?? null)
    : null;
}

/**
 * Refused: nothing changed, which condition says no, who may instead, what to do. One refusal comes after the fact: a version that is
 * live and does not verify. `whoMay` are handles as policy names them.
 */
export function refusedReply(
  refusal: Refusal,
  conditions: readonly ConditionText[] = [],
  whoMay: readonly string[] = [],
): string {
  const live = refusal.code === "verification_failed";
  const next = nextStepOf(refusal);
  const command = commandIn(next);
  const parts = [
    `${live ? "⚠️ It is live, but does not verify." : "⛔ Refused; readers see what they saw before."} ${code(refusal.code)}: ${sentence(refusal.message, 2_000)}`,
    conditionTable(conditions.slice(0, 40)),
    whoMay.length === 0 ? "" : `Who may: ${firstOf(whoMay.map(handle), 10)}.`,
    `Next: ${sentence(next, 2_000)}`,
    command === null ? "" : fence(command),
  ];
  return within(parts);
}

/** A comment that looks like a command and is not exactly one. */
export const usageReply = (why: string): string =>
  within([`⛔ Nothing was done. ${sentence(why)}`, HELP_REPLY]);

const RUNS_SHOWN = 20;

export function statusReply(runs: readonly RunRecord[], conditions: readonly ConditionText[] = []): string {
  if (runs.length === 0) return "There is no run here yet.";
  const rows = runs
    .slice(0, RUNS_SHOWN)
    .map((run) => [
      code(run.runId),
      nameOf(run),
      run.status.replace("_", " "),
      grouped(run.stageRowCount ?? "–"),
      readableInstant(run.createdAt),
      run.current ? "readers see this" : "",
    ]);
  const more = runs.length > RUNS_SHOWN ? `${runs.length - RUNS_SHOWN} older runs are not listed.` : "";
  const said =
    conditions.length === 0
      ? ""
      : `Could it be published now, by whoever asks? Nothing was written to find out.\n\n${conditionTable(conditions.slice(0, 40))}`;
  return within([table(["run", "contract", "status", { numbers: "rows" }, "started", ""], rows), more, said]);
}

/** `/publish` without a run id publishes nothing and names what could be. */
export function whichRunReply(publishable: readonly RunRecord[]): string {
  if (publishable.length === 0) return "`/publish` needs a run id, and no run here can be published now.";
  const shown = publishable
    .slice(0, RUNS_SHOWN)
    .map(
      (run) =>
        `${nameOf(run)}, ${grouped(run.stageRowCount ?? "?")} rows:\n\n${fence(`/publish ${run.runId}`)}`,
    );
  const more =
    publishable.length > RUNS_SHOWN ? `${publishable.length - RUNS_SHOWN} more are not listed.` : "";
  return within([
    "Nothing was published: `/publish` needs the id of the run that you looked at. These can be published:",
    ...shown,
    more,
  ]);
}

/** Parts are bounded one by one; together they stay far below GitHub's limit, and the last go first if they ever do not. */
function within(parts: readonly string[]): string {
  const kept = parts.filter((part) => part !== "");
  while (kept.length > 1 && !fits(kept.join("\n\n"), COMMENT_LIMIT)) kept.pop();
  return kept.join("\n\n");
}

export const HELP_REPLY = [
  "One command in a comment, alone on its first line; anything after that line is a remark.",
  "",
  table(
    ["command", "does"],
    [
      ["`/publish <run-id>`", "publishes exactly that run, if you may"],
      ["`/rollback <run-id>`", "restores the version before it, if you may"],
      ["`/audit [contract]`", "builds and audits the head commit again"],
      ["`/status [run-id]`", "what state the runs are in; writes nothing"],
      ["`/wap help`", "this text"],
    ],
  ),
].join("\n");
