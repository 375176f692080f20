// The job summary: the comment's text with more room, and what was left out said (github R26).
import { joinWithin, SUMMARY_LIMIT } from "./budget.ts";
import { evidenceParts } from "./comment.ts";
import type { ContractRefused, ContractView } from "./contract-view.ts";

/** Markdown of at most 1,048,576 bytes, which is all that GitHub takes of a step. */
export function jobSummary(views: readonly ContractView[], refused: readonly ContractRefused[]): string {
  const { parts, tail } = evidenceParts(views, refused);
  return joinWithin(parts, tail, SUMMARY_LIMIT - 1);
}
