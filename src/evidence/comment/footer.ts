// The last line of a contract's evidence: run, commit, digest, links. Never cut.
import { readableInstant } from "../../domain/numbers.ts";
import { evidenceDigest } from "../bundle.ts";
import type { ContractView } from "../contract-view.ts";
import { code, link } from "../markdown.ts";
import { commitAddress, shortCommit } from "../places.ts";

export function footer({ run, links }: ContractView): string {
  const commit = shortCommit(run);
  const files: readonly (readonly [string, string | null | undefined])[] = [
    ["report", links.report],
    ["evidence.json", links.evidence],
    ["job", links.workflowRun],
  ];
  const said = [
    `run ${code(run.runId)}`,
    ...(commit === null ? [] : [`commit ${link(code(commit), commitAddress(run))}`]),
    `evidence sha256 ${code(evidenceDigest(run))}`,
    ...files.map(([name, address]) => link(name, address)).filter((text) => text.startsWith("[")),
    readableInstant(run.auditedAt ?? run.createdAt),
  ];
  return `<sub>${said.join(" · ")}</sub>`;
}
