// The run's contract and transform against git itself: what the builder recorded is a claim, the head commit is the truth (safety A4, E3).
import { readContract } from "../contracts/read.ts";
import { contractHash } from "../domain/contract.ts";
import type { RunRecord } from "../domain/manifest.ts";
import { transformHash } from "../domain/transform.ts";
import type { Host } from "./host.ts";

/** Paths whose text at a commit does not give the hash that the run recorded; what cannot be read is one of them. */
export async function recordedOtherwise(
  { github, surroundings }: Host,
  run: RunRecord,
  ref: string,
): Promise<readonly string[]> {
  if (run.provenance.kind !== "github") return [run.contractPath];
  const text = await github.fileAt(run.contractPath, ref);
  const contract = text === null ? null : readContract(run.contractPath, text, surroundings.now()).contract;
  if (contract === null || contractHash(contract) !== run.contractHash) return [run.contractPath];
  const { sql, excluded_rows } = contract.transform;
  const [select, excluded] = [
    await github.fileAt(sql, ref),
    excluded_rows === undefined ? null : await github.fileAt(excluded_rows, ref),
  ];
  const readable = select !== null && (excluded_rows === undefined || excluded !== null);
  return readable && transformHash(select, excluded, run.provenance.headSha) === run.transformHash
    ? []
    : [sql];
}
