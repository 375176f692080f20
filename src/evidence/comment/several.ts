// Several contracts in one pull request: a table first, then those that failed, then those that pass, folded (design: ux 2).
import { grouped } from "../../domain/numbers.ts";
import { nextStepOf } from "../../domain/outcome.ts";
import { always, type Part, RANK } from "../budget.ts";
import { contractOf, failedReadings, failureOf, gatingReadings } from "../bundle.ts";
import type { ContractRefused, ContractView } from "../contract-view.ts";
import { code, details, firstOf, paragraphs, plain, sentence, table } from "../markdown.ts";
import { footer } from "./footer.ts";
import { partsOf } from "./states.ts";

/** Rows of the table in the comment: about 350 bytes each, and the table is never cut. */
const ROWS_SHOWN = 100;

const isBad = ({ run, blocked }: ContractView): boolean => run.status === "failed" || blocked !== null;

export function severalContracts(
  views: readonly ContractView[],
  refused: readonly ContractRefused[],
): Part[] {
  const sorted = views.toSorted((a, b) => Number(isBad(b)) - Number(isBad(a)));
  const bad = views.filter(isBad).length + refused.length;
  const total = views.length + refused.length;
  const rows = [...refused.map(refusedRow), ...sorted.map(viewRow)];
  const more =
    rows.length > ROWS_SHOWN
      ? `\n\n${rows.length - ROWS_SHOWN} more contracts, ${Math.max(0, bad - ROWS_SHOWN)} of them stopped: their check runs and the evidence files say what.`
      : "";
  const head = ["contract", "verdict", { numbers: "rows" }, "changed keys", "publish"] as const;
  return [
    always(`### ${bad === 0 ? "✅" : "❌"} ${titleOf(sorted, total, bad)}`),
    always(`${table(head, rows.slice(0, ROWS_SHOWN))}${more}`),
    ...refused.map(refusedPart),
    ...sorted.map(viewPart),
  ];
}

/** `3 tables: 2 ready, 1 failed`: each verdict with its number. */
function titleOf(views: readonly ContractView[], total: number, bad: number): string {
  const of = (wanted: (view: ContractView) => boolean): number =>
    views.filter((view) => !isBad(view) && wanted(view)).length;
  const counts: readonly (readonly [number, string])[] = [
    [of(({ run }) => run.status === "audited" || run.status === "approved"), "ready"],
    [of(({ run }) => run.status === "published"), "published"],
    [of(({ run }) => run.status === "rolled_back"), "rolled back"],
    [of(({ run }) => run.status === "building" || run.status === "built"), "on the way"],
    [bad, "stopped"],
  ];
  return `${total} ${total === 1 ? "table" : "tables"}: ${counts
    .filter(([n]) => n > 0)
    .map(([n, word]) => `${n} ${word}`)
    .join(", ")}`;
}

const STATUS_MARKS = {
  published: "📦",
  rolled_back: "↩️",
  building: "⏳",
  built: "⏳",
  audited: "✅",
  approved: "✅",
  failed: "❌",
} as const;

function verdictOf({ run, blocked }: ContractView): string {
  if (run.status === "failed") {
    const names = failedReadings(run).map(({ name }) => code(name));
    return names.length === 0
      ? `❌ ${code(failureOf(run)?.reason ?? "failed")}`
      : `❌ ${firstOf(names, 2)} ${names.length === 1 ? "fails" : "fail"}`;
  }
  if (blocked !== null) return `⛔ ${code(blocked.code)}`;
  const gating = gatingReadings(run);
  return `${STATUS_MARKS[run.status]} ${gating.filter((one) => one.passed).length} of ${gating.length}`;
}

function viewRow(view: ContractView): string[] {
  const { run, blocked } = view;
  const before = run.preflight.target.rowCount;
  const rows =
    run.status === "failed"
      ? `${before === null ? "none" : grouped(before)}, as before`
      : `${before === null ? "first version:" : `${grouped(before)} →`} ${grouped(run.stageRowCount ?? "–")}`;
  const { changes } = run;
  const isNone =
    changes !== null && changes.added === "0" && changes.removed === "0" && changes.changed === "0";
  const keys =
    changes === null
      ? "–"
      : isNone
        ? "none"
        : `+${grouped(changes.added)} −${grouped(changes.removed)} &#126;${grouped(changes.changed)}`;
  const may = (run.status === "audited" || run.status === "approved") && blocked === null;
  return [code(contractOf(run).id), verdictOf(view), rows, keys, may ? code(`/publish ${run.runId}`) : "–"];
}

const refusedRow = ({ contractId, refusal }: ContractRefused): string[] => [
  code(contractId),
  `⛔ ${code(refusal.code)}`,
  "–",
  "–",
  "–",
];

const refusedPart = ({ contractId, path, refusal }: ContractRefused): Part => ({
  text: details(
    `⛔ ${code(contractId)}`,
    `${code(path)}: ${code(refusal.code)} ${sentence(refusal.message, 2_000)}\n\nNext: ${sentence(nextStepOf(refusal))}`,
    true,
  ),
  sacrifice: `why ${code(contractId)} was refused`,
  rank: RANK.contract + 1,
});

function viewPart(view: ContractView): Part {
  const { run } = view;
  const id = contractOf(run).id;
  const [title, ...rest] = partsOf(view, paragraphs).map((part) => part.text);
  const body = [...rest, footer(view)].filter((text) => text !== "").join("\n\n");
  const bad = isBad(view);
  const summary = (title ?? plain(id)).replace(/^### /, "");
  return {
    text: details(summary, body, bad),
    sacrifice: `details of ${code(id)}`,
    rank: bad ? RANK.contract : RANK.passing,
  };
}
