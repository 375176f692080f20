// One function a state of a run: what a person sees first, and what is folded below (design: ux 2).

import type { RunRecord } from "../../domain/manifest.ts";
import {
  elapsedBetween,
  grouped,
  readableInstant,
  readableMoment,
  readableMs,
  signed,
} from "../../domain/numbers.ts";
import { nextStepOf, type Refusal } from "../../domain/outcome.ts";
import { shortRunId } from "../../domain/run.ts";
import { always, type Part, RANK } from "../budget.ts";
import { contractOf, failedReadings, failureOf, gatingReadings } from "../bundle.ts";
import type { ContractView } from "../contract-view.ts";
import {
  approvalOf,
  keptUntil,
  publicationOf,
  rowsBefore,
  unread,
  versionBefore,
  waitedAtMost,
} from "../facts.ts";
import { code, details, fence, firstOf, handle, type Notice, plain, sentence, table } from "../markdown.ts";
import { approvalDetails, stepsAndTimes } from "./approved.ts";
import { auditsPart, columnsPart, failureParts, historyPart, ledgerPart, notes, planPart } from "./folded.ts";
import { changedColumns, conditionTable, failedTable, glance, verifiedTable } from "./tables.ts";

/** How a notice is printed: as GitHub's alert, or as paragraphs inside a folded part, where no alert may stand. */
export type NoticeText = (notice: Notice) => string;

const idOf = (run: RunRecord): string => plain(contractOf(run).id);

/** What readers see while nothing was published. */
export function stillSee(run: RunRecord, others: readonly RunRecord[]): string {
  const { target } = run.preflight;
  if (!target.exists) return "The target does not exist yet: readers see nothing.";
  const version = versionBefore(run, others);
  const rows = target.rowCount === null ? "" : ` (${grouped(target.rowCount)} rows)`;
  return `Readers still see ${version === null ? "the old version" : plain(version, 60)}${rows}.`;
}

/** All parts of one contract, in order. */
export function partsOf(view: ContractView, notice: NoticeText): Part[] {
  const { run } = view;
  switch (run.status) {
    case "building":
    case "built":
      return [
        always(`### ⏳ ${idOf(run)}: ${run.status}`),
        always(stillSee(run, view.history)),
        ...historyPart(view),
      ];
    case "audited":
    case "approved":
      return view.blocked === null ? ready(view, notice) : blocked(view, view.blocked, notice);
    case "failed":
      return failed(view, notice);
    case "published":
      return published(view);
    case "rolled_back":
      return rolledBack(view);
  }
}

const WHO_SHOWN = 10;

function ready(view: ContractView, notice: NoticeText): Part[] {
  const { run, whoMay, author, history } = view;
  const approved = run.status === "approved";
  const first = run.plan.firstVersion ? " This is the first version." : "";
  const passing = gatingReadings(run).filter((one) => one.passed).length;
  const total = run.expected.length;
  const all = `${passing === total ? `All ${total}` : `${passing} of ${total}`} audits pass.${first}`;
  const except = author === null ? "" : `, except ${handle(author)} (author)`;
  const who = whoMay.length === 0 ? "nobody is named" : firstOf(whoMay.map(handle), WHO_SHOWN);
  const may = `Who may: ${who}${except}. Valid until ${readableInstant(view.validUntil)}, or the next push.`;
  const consequence = approved
    ? `${all} ${approverOf(run, "publish")} approved it. Readers see nothing new until it is published; if that does not happen, the same comment asks again:`
    : `${all} Readers see nothing new until one of those who may comments:`;
  return [
    always(`### ✅ ${idOf(run)}: ${approved ? "approved, not published yet" : "ready to publish"}`),
    always(notice({ kind: "TIP", sentences: [consequence], command: `/publish ${run.runId}`, after: [may] })),
    always(glance(run, history)),
    always(changedColumns(run)),
    always(notes(run)),
    ...columnsPart(run),
    ...auditsPart(run),
    ...ledgerPart(run),
    ...planPart(run),
    ...historyPart(view),
  ];
}

function failed(view: ContractView, notice: NoticeText): Part[] {
  const { run, history } = view;
  const bad = failedReadings(run).length;
  const missing = unread(run).length;
  const title =
    bad === 0
      ? "stopped, nothing was published"
      : `${bad} of ${run.expected.length} audits failed, nothing was published`;
  const why = bad === 0 || missing > 0 || failureOf(run)?.reason !== "audit_failed" ? [reasonText(run)] : [];
  const unreadText =
    missing > 0 && run.readings.length > 0
      ? [`${missing} of ${run.expected.length} declared audits have no reading.`]
      : [];
  const next =
    "Next: push a correction, or run the audit job again after the file is replaced; either makes a new run.";
  const sentences = [
    `${stillSee(run, history)} This run cannot be published by anyone.`,
    ...why,
    ...unreadText,
    next,
  ];
  return [
    always(`### ❌ ${idOf(run)}: ${title}`),
    always(notice({ kind: "CAUTION", sentences })),
    ...(bad === 0 ? [] : [always(failedTable(view))]),
    ...failureParts(run),
    ...(run.stageRowCount === null ? [] : [always(glance(run, history))]),
    ...(run.stageRowCount === null ? [] : [always(changedColumns(run))]),
    always(notes(run)),
    ...columnsPart(run),
    ...auditsPart(run),
    ...ledgerPart(run),
    ...historyPart(view),
  ];
}

/** Why a run failed: its code, and the sentence that was recorded. */
function reasonText(run: RunRecord): string {
  const failure = failureOf(run);
  const reason =
    failure?.reason === null || failure?.reason === undefined ? "" : `Reason ${code(failure.reason)}: `;
  return `${reason}${sentence(failure?.detail ?? "the run failed", 1_500)}`;
}

function blocked(view: ContractView, refusal: Refusal, notice: NoticeText): Part[] {
  const { run, checked, history } = view;
  const sentences = [
    `Nothing was published. ${stillSee(run, history)}`,
    `Reason ${code(refusal.code)}: ${sentence(refusal.message, 1_500)}`,
    `Next: ${sentence(nextStepOf(refusal))}`,
  ];
  const conditions =
    checked === undefined
      ? ""
      : `Checked at ${readableInstant(checked.at)}:\n\n${conditionTable(checked.conditions)}`;
  return [
    always(`### ⛔ ${idOf(run)}: cannot be published${whyShort(refusal)}`),
    always(notice({ kind: "WARNING", sentences })),
    always(conditions),
    always(glance(run, history)),
    always(notes(run)),
    ...columnsPart(run),
    ...auditsPart(run),
    ...ledgerPart(run),
    ...historyPart(view),
  ];
}

/** The title says why, for those who read no further. */
function whyShort({ code: reason }: Refusal): string {
  const words: Readonly<Partial<Record<Refusal["code"], string>>> = {
    head_moved: "commits came after the audit",
    target_drift: "the target changed after the audit",
    stale_base: "another version was published since",
    stage_changed: "the stage is not what was audited",
    contract_changed: "its files changed after the audit",
    run_superseded: "a newer run exists",
    run_too_old: "it is too old",
    unsafe_strategy: "no strategy is safe",
    verification_failed: "it does not verify",
    pull_request_closed: "the pull request is closed",
    base_branch_untrusted: "the base branch is not the default branch",
    lock_timeout: "readers held the target too long",
  };
  const why = words[reason];
  return why === undefined ? "" : `, ${why}`;
}

const approverOf = (run: RunRecord, kind: "publish" | "rollback"): string => {
  const approval = approvalOf(run, kind);
  return approval === null ? "somebody who is not recorded" : handle(approval.by);
};

function published(view: ContractView): Part[] {
  const { run } = view;
  const before = rowsBefore(run);
  const rows = run.stageRowCount ?? "0";
  const change = run.plan.firstVersion || before === null ? "first version" : signed(before, rows);
  const publication = publicationOf(run, "publish");
  const waited =
    publication === null
      ? ""
      : ` They waited at most ${waitedAtMost(publication)} (limit ${readableMs(run.plan.lockTimeoutMs)}).`;
  const until = keptUntil(run);
  const previous =
    run.rollbackName === null
      ? ""
      : ` Previous version kept as ${code(run.rollbackName)}${until === null ? "" : ` until ${readableInstant(until)} at least`}.`;
  const bad = run.verification.filter((check) => !check.passed).length;
  const verdict = bad > 0 ? `, but ${bad} of ${run.verification.length} checks do not verify` : "";
  const newer = run.current ? "" : " A newer version was published since.";
  const undo =
    run.rollbackName === null
      ? "There is nothing to go back to: this is the first version."
      : run.current
        ? `To undo:\n\n${fence(`/rollback ${run.runId}`)}`
        : "";
  return [
    always(
      `### ${bad > 0 ? "⚠️" : "📦"} ${idOf(run)}: published ${plain(contractOf(run).version)}, approved by ${approverOf(run, "publish")}${verdict}`,
    ),
    always(
      `Readers have seen ${grouped(rows)} rows (${change}) since ${readableMoment(run.publishedAt ?? run.createdAt)}.${waited}${previous}${newer}`,
    ),
    always(verifiedTable(run)),
    always(undo),
    always(notes(run)),
    evidenceAsApproved(view),
    ...approvalDetails(run),
    ...stepsAndTimes(run),
    ...historyPart(view),
  ];
}

function evidenceAsApproved({ run, history }: ContractView): Part {
  const inside = [
    glance(run, history),
    changedColumns(run),
    ...auditsPart(run).map((part) => part.text),
    ...ledgerPart(run).map((part) => part.text),
  ];
  return {
    text: details("Evidence as approved", inside.filter((text) => text !== "").join("\n\n")),
    sacrifice: "the evidence as approved",
    rank: RANK.approved,
  };
}

function rolledBack(view: ContractView): Part[] {
  const { run, history } = view;
  const contract = contractOf(run);
  const back = publicationOf(run, "rollback");
  const version = versionBefore(run, history);
  const onto =
    version !== null
      ? plain(version, 60)
      : run.baseRun !== null
        ? `run ${code(shortRunId(run.baseRun))}`
        : "the version before";
  const after =
    back === null || run.publishedAt === null
      ? ""
      : `, ${elapsedBetween(run.publishedAt, back.at)} after it was published`;
  const names = [
    code(run.preflight.target.name),
    { numbers: `was ${plain(contract.version, 60)}` },
    { numbers: `now ${onto}` },
  ] as const;
  const rows = [["rows", grouped(run.stageRowCount ?? "–"), grouped(rowsBefore(run) ?? "–")]];
  return [
    always(`### ↩️ ${idOf(run)}: back on ${onto}${back === null ? "" : ` since ${readableInstant(back.at)}`}`),
    always(
      `${approverOf(run, "rollback")} rolled back ${plain(contract.version, 60)}${after}. Readers see ${back === null ? "the version before" : code(back.backing)} again; what was rolled back is kept as ${code(run.stageName)} for inspection.`,
    ),
    always(table(names, rows)),
    always(verifiedTable(run)),
    ...approvalDetails(run),
    ...stepsAndTimes(run),
    ...historyPart(view),
  ];
}
