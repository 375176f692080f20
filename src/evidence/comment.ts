// The evidence comment: one a pull request, in every state. Verdict, consequence, command first (design: ux 1 and 2).
import type { Reading } from "../domain/audits/check.ts";
import type { RunRecord } from "../domain/manifest.ts";
import { grouped, readableInstant, signed } from "../domain/numbers.ts";
import type { Refusal } from "../domain/outcome.ts";
import { nextStepOf } from "../domain/outcome.ts";
import { COMMENT_LIMIT, joinWithin, type Part } from "./budget.ts";
import { contractOf, failedReadings, gatingReadings } from "./bundle.ts";
import {
  changedColumns,
  failedTable,
  foldedParts,
  footer,
  glance,
  notes,
  whyFailed,
} from "./comment-parts.ts";
import { inCode } from "./escape.ts";
import { alert, details, fence, plain, table } from "./markdown.ts";

/** What the comment needs to know of one contract of the pull request. */
export interface ContractView {
  readonly run: RunRecord;
  /** Runs of the same contract here, newest first, this one included. */
  readonly history: readonly RunRecord[];
  /** Why this run cannot be published now; null where nothing stands in the way. */
  readonly blocked: Refusal | null;
  /** Handles of who may approve, as text. */
  readonly whoMay: readonly string[];
  readonly author: string | null;
  /** ISO instant until which the run can be approved. */
  readonly validUntil: string;
  readonly lineOf: (reading: Reading) => number | null;
  readonly links: { readonly report: string | null; readonly workflowRun: string | null };
}

/** A contract that no run could be made of: it does not parse, or preflight refused it. */
export interface ContractRefused {
  readonly contractId: string;
  readonly path: string;
  readonly refusal: Refusal;
}

/** Hidden marker at the end of our comment; found again together with its author. */
export const markerOf = (repository: string, pullRequest: number): string =>
  `<!-- wap:evidence ${repository}#${pullRequest} -->`;

/** While runs are on their way: written once, replaced afterwards. */
export const auditingComment = (contracts: readonly string[], headSha: string, marker: string): string =>
  [
    `### ⏳ auditing ${contracts.map(inCode).join(", ")}`,
    `Commit ${inCode(headSha.slice(0, 7))}. Readers see nothing of it; this comment is replaced when the audits are done.`,
    marker,
  ].join("\n\n");

export function evidenceComment(
  views: readonly ContractView[],
  refused: readonly ContractRefused[],
  marker: string,
): string {
  const [only] = views;
  if (views.length === 1 && refused.length === 0 && only !== undefined) {
    return joinWithin(
      [
        ...headOf(only),
        ...foldedParts(only, { withPlan: only.run.status === "audited" || only.run.status === "approved" }),
      ],
      `${footer(only)}\n\n${marker}`,
      COMMENT_LIMIT,
    );
  }
  return joinWithin(severalContracts(views, refused), marker, COMMENT_LIMIT);
}

const always = (text: string): Part => ({ text, sacrifice: null, rank: 0 });

/** Title, consequence, command, and what decides: never cut. */
function headOf(view: ContractView): Part[] {
  const { run } = view;
  const id = contractOf(run).id;
  switch (run.status) {
    case "audited":
      return (view.blocked === null ? ready(view, id) : blockedHead(view, id, view.blocked)).map(always);
    case "approved":
      return (
        view.blocked === null
          ? [`### ✅ ${plain(id)}: approved, about to be published`, glance(run)]
          : blockedHead(view, id, view.blocked)
      ).map(always);
    case "published":
      return publishedHead(view, id).map(always);
    case "rolled_back":
      return rolledBackHead(view, id).map(always);
    case "failed":
      return failedHead(view, id).map(always);
    case "building":
    case "built":
      return [always(`### ⏳ ${plain(id)}: ${run.status}`), always("Readers see nothing of it.")];
  }
}

const stillSee = ({ preflight }: RunRecord): string =>
  preflight.target.exists
    ? `Readers still see the old version (${grouped(preflight.target.rowCount ?? "?")} rows).`
    : "The target does not exist yet: readers see nothing.";

function ready(view: ContractView, id: string): string[] {
  const { run, whoMay, author } = view;
  const except = author === null ? "" : `, except ${inCode(author)} (author)`;
  return [
    `### ✅ ${plain(id)}: ready to publish`,
    alert(
      "TIP",
      [
        `All ${gatingReadings(run).length} audits pass. Readers see nothing new until somebody who may comments:`,
      ],
      `/publish ${run.runId}`,
      [
        `Who may: ${whoMay.map(inCode).join(", ")}${except}. Valid until ${readableInstant(view.validUntil)}, or the next push.`,
      ],
    ),
    glance(run),
    changedColumns(run),
    notes(run),
  ];
}

function failedHead(view: ContractView, id: string): string[] {
  const { run } = view;
  const failed = failedReadings(run);
  const title =
    failed.length === 0
      ? `${plain(id)}: stopped, nothing was published`
      : `${plain(id)}: ${failed.length} of ${gatingReadings(run).length} audits failed, nothing was published`;
  const next =
    "Next: push a correction, or run the audit job again after the file is replaced; either makes a new run.";
  const why = failed.length === 0 || run.readings.length < run.expected.length ? [whyFailed(run)] : [];
  return [
    `### ❌ ${title}`,
    alert("CAUTION", [`${stillSee(run)} This run cannot be published by anyone.`, ...why, next]),
    ...(failed.length === 0 ? [] : [failedTable(run, view.lineOf)]),
    ...(run.stageRowCount === null ? [] : [glance(run)]),
    notes(run),
  ];
}

function blockedHead(view: ContractView, id: string, blocked: Refusal): string[] {
  return [
    `### ⛔ ${plain(id)}: cannot be published`,
    alert("WARNING", [
      `Nothing was published. Reason ${inCode(blocked.code)}: ${plain(blocked.message)}`,
      `Next: ${plain(nextStepOf(blocked))}`,
    ]),
    glance(view.run),
    notes(view.run),
  ];
}

const approverOf = (run: RunRecord, kind: "publish" | "rollback"): string =>
  inCode((run.approvals.find((one) => one.kind === kind)?.by ?? "unknown").replace(/^github:/, ""));

const verifiedTable = (run: RunRecord): string =>
  run.verification.length === 0
    ? ""
    : table(
        ["", "verified", ""],
        run.verification.map((check) => [
          check.passed ? "✅" : "❌",
          plain(check.name),
          plain(check.observed),
        ]),
      );

function publishedHead({ run }: ContractView, id: string): string[] {
  const contract = contractOf(run);
  const publication = run.publications.find((one) => one.kind === "publish");
  const rows = run.stageRowCount ?? "?";
  const change =
    run.preflight.target.rowCount === null ? "first version" : signed(run.preflight.target.rowCount, rows);
  const previous =
    run.rollbackName === null ? "" : ` The previous version is kept as ${inCode(run.rollbackName)}.`;
  const approval = run.approvals.find((one) => one.kind === "publish");
  return [
    `### 📦 ${plain(id)}: published ${plain(contract.version)}, approved by ${approverOf(run, "publish")}`,
    `Readers have seen ${grouped(rows)} rows (${change}) since ${readableInstant(run.publishedAt ?? run.createdAt)}. They waited at most ${publication?.lockHeldMs ?? "?"} ms.${previous}${run.current ? "" : " A newer version was published since."}`,
    verifiedTable(run),
    ...(run.rollbackName === null || !run.current ? [] : [`To undo:\n\n${fence(`/rollback ${run.runId}`)}`]),
    details(
      "Approval",
      `${approverOf(run, "publish")} in ${approval === undefined ? "an unrecorded place" : plain(approval.ref)}; bound: ${Object.entries(
        approval?.bound ?? {},
      )
        .map(([name, hash]) => `${plain(name)} ${inCode(hash)}`)
        .join(", ")}`,
    ),
  ];
}

function rolledBackHead({ run }: ContractView, id: string): string[] {
  const back = run.publications.find((one) => one.kind === "rollback");
  return [
    `### ↩️ ${plain(id)}: rolled back${back === undefined ? "" : ` at ${readableInstant(back.at)}`}`,
    `${approverOf(run, "rollback")} rolled back version ${plain(contractOf(run).version)}. Readers see ${inCode(back?.backing ?? "the version before")} again; what was rolled back is kept as ${inCode(run.stageName)} for inspection.`,
    verifiedTable(run),
  ];
}

function severalContracts(views: readonly ContractView[], refused: readonly ContractRefused[]): Part[] {
  const good = views.filter(({ run, blocked }) => run.status !== "failed" && blocked === null);
  const bad = views.length - good.length + refused.length;
  const verdictOf = ({ run, blocked }: ContractView): string => {
    if (run.status === "failed")
      return `❌ ${plain(
        failedReadings(run)
          .map((one) => one.name)
          .slice(0, 3)
          .join(", ") ||
          (run.transitions.at(-1)?.reason ?? "failed"),
      )}`;
    if (blocked !== null) return `⛔ ${plain(blocked.code)}`;
    return `${run.status === "published" ? "📦" : run.status === "rolled_back" ? "↩️" : "✅"} ${gatingReadings(run).length} of ${gatingReadings(run).length}`;
  };
  const rows = views.map((view) => [
    inCode(contractOf(view.run).id),
    verdictOf(view),
    `${grouped(view.run.preflight.target.rowCount ?? "–")} → ${grouped(view.run.stageRowCount ?? "–")}`,
    view.run.changes === null
      ? "–"
      : `+${grouped(view.run.changes.added)} −${grouped(view.run.changes.removed)} ~${grouped(view.run.changes.changed)}`,
    view.run.status === "audited" && view.blocked === null ? `\`/publish ${view.run.runId}\`` : "–",
  ]);
  for (const one of refused)
    rows.push([inCode(one.contractId), `⛔ ${plain(one.refusal.code)}`, "–", "–", "–"]);
  const total = views.length + refused.length;
  const parts: Part[] = [
    always(
      `### ${bad === 0 ? "✅" : "❌"} ${total} ${total === 1 ? "table" : "tables"}: ${good.length} good, ${bad} stopped`,
    ),
    always(table(["contract", "verdict", "rows", "changed keys", "publish"], rows)),
  ];
  for (const one of refused) {
    parts.push(
      always(
        alert("CAUTION", [
          `${inCode(one.path)}: ${inCode(one.refusal.code)} ${plain(one.refusal.message)}`,
          `Next: ${plain(nextStepOf(one.refusal))}`,
        ]),
      ),
    );
  }
  for (const view of views.toSorted(
    (a, b) => Number(b.run.status === "failed") - Number(a.run.status === "failed"),
  )) {
    const id = contractOf(view.run).id;
    const failed = view.run.status === "failed";
    const body = [
      ...headOf(view).map((part) => part.text),
      ...foldedParts(view, { withPlan: !failed }).map((part) => part.text),
      footer(view),
    ]
      .filter((text) => text !== "")
      .join("\n\n");
    parts.push({
      text: details(`${failed ? "❌" : "✅"} ${plain(id)}`, body, failed),
      sacrifice: failed ? null : `details of ${id}`,
      rank: 5,
    });
  }
  return parts;
}
