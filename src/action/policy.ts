// The approval policy of a contract, as the base branch has it (safety A3).
import { readContract } from "../contracts/read.ts";
import { durationMs } from "../domain/duration.ts";
import { type ApprovalPolicy, STRICTEST_POLICY } from "../github/authorization.ts";
import type { Host } from "./host.ts";

/** A contract that is new on the base branch, or does not parse there, gets the strictest policy. */
export async function policyAt(
  { github, inputs, surroundings }: Host,
  contractPath: string,
  baseSha: string,
): Promise<ApprovalPolicy> {
  const base = { ...STRICTEST_POLICY, allowAuthor: inputs.allowAuthorApproval };
  const text = await github.fileAt(contractPath, baseSha);
  const contract = text === null ? null : readContract(contractPath, text, surroundings.now()).contract;
  if (contract === null) return base;
  const { approvers, min, allow_author, max_run_age, merge } = contract.approval;
  return {
    approvers: approvers ?? null,
    min,
    allowAuthor: allow_author || inputs.allowAuthorApproval,
    maxRunAgeMs: durationMs(max_run_age),
    merge,
  };
}
