// Who approved what, where and on what authority; and what happened when.
import type { RunRecord } from "../../domain/manifest.ts";
import { readableMoment } from "../../domain/numbers.ts";
import { type Part, RANK } from "../budget.ts";
import { code, details, handle, link, plain, sentence, table } from "../markdown.ts";

const textOf = (facts: Readonly<Record<string, unknown>>, name: string): string | null => {
  const value = facts[name];
  return typeof value === "string" ? value : null;
};

/** Each approval with its reference, its authority and every hash that it binds (specification 7; safety A2). */
export function approvalDetails(run: RunRecord): Part[] {
  if (run.approvals.length === 0) return [];
  const texts = run.approvals.slice(-5).map(({ kind, by, ref, at, bound, facts }) => {
    const authority = textOf(facts, "authority");
    const body = textOf(facts, "body_sha256");
    const shown = textOf(facts, "evidence_digest");
    const hashes = [
      ...Object.entries(bound),
      ...(shown === null ? [] : [["evidence digest", shown] as const]),
      ...(body === null ? [] : [["sha256 of the comment's text", body] as const]),
    ];
    const linked = link("here", ref);
    return [
      `${kind === "publish" ? "Published" : "Rolled back"} by ${handle(by)} ${linked === "here" ? `in ${code(ref)}` : linked}, ${readableMoment(at)}.${authority === null ? "" : ` Authority: ${sentence(authority, 600)}.`}`,
      table(
        ["bound", "value"],
        hashes.map(([name, value]) => [plain(name, 100), code(value, 200)]),
      ),
    ].join("\n\n");
  });
  return [
    {
      text: details("Approval: who, where, and what it binds", texts.join("\n\n")),
      sacrifice: "the approval's details",
      rank: RANK.plan,
    },
  ];
}

/** Every change of state, with the login that made it. */
export function stepsAndTimes({ transitions }: RunRecord): Part[] {
  const rows = transitions.map(({ from, to, at, login }) => [
    readableMoment(at),
    `${from ?? "start"} → ${to}`,
    code(login, 100),
  ]);
  return [
    {
      text: details("Steps and times", table(["when", "step", "recorded by"], rows)),
      sacrifice: "steps and times",
      rank: RANK.history,
    },
  ];
}
