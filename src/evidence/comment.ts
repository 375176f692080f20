// The evidence comment: one a pull request, in every state. Verdict, consequence, command first (design: ux 1 and 2).
import { COMMENT_LIMIT, joinWithin, type Part } from "./budget.ts";
import { footer } from "./comment/footer.ts";
import { severalContracts } from "./comment/several.ts";
import { partsOf } from "./comment/states.ts";
import type { ContractRefused, ContractView } from "./contract-view.ts";
import { alert, code, firstOf } from "./markdown.ts";

export type { ContractRefused, ContractView } from "./contract-view.ts";

/** Hidden marker at the end of our comment; found again together with its author. It survives every cut. */
export const markerOf = (repository: string, pullRequest: number): string =>
  `<!-- wap:evidence ${repository}#${pullRequest} -->`;

/** While runs are on their way: written once, replaced afterwards. */
export const auditingComment = (contracts: readonly string[], headSha: string, marker: string): string =>
  [
    `### ⏳ auditing ${firstOf(
      contracts.map((id) => code(id)),
      20,
    )}`,
    `Commit ${code(headSha.slice(0, 7))}. Readers see nothing of it; this comment is replaced when the audits are done.`,
    marker,
  ].join("\n\n");

/** Every contract of the pull request, in at most 65,536 bytes; what was left out is said (github R25). */
export const evidenceComment = (
  views: readonly ContractView[],
  refused: readonly ContractRefused[],
  marker: string,
): string => {
  const { parts, tail } = evidenceParts(views, refused);
  return joinWithin(parts, [tail, marker].filter((text) => text !== "").join("\n\n"), COMMENT_LIMIT);
};

/** The same parts for every place where they are shown; `tail` is never cut. */
export function evidenceParts(
  views: readonly ContractView[],
  refused: readonly ContractRefused[],
): { readonly parts: readonly Part[]; readonly tail: string } {
  const [only] = views;
  return views.length === 1 && refused.length === 0 && only !== undefined
    ? { parts: partsOf(only, alert), tail: footer(only) }
    : { parts: severalContracts(views, refused), tail: "" };
}
