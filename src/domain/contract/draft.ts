// What can be read of a contract that may be wrong in places: each block on its own, so that every problem is found at once.
import type { z } from "zod";
import { CLAUSES, type Clause } from "../clauses.ts";
import { type Declaration, declarationSchema } from "../contract.ts";
import { type ParsedClause, parseClauses } from "./clause-block.ts";
import { describeIssues, errorAt, type Finding, parseWith, shown, unknownKey } from "./finding.ts";

type BlockName = Exclude<keyof Declaration, "clauses">;

/** The blocks that parse; a block with an error is left out. */
export interface Draft extends Partial<Pick<Declaration, BlockName>> {
  readonly clauses: Readonly<Record<Clause, ParsedClause>>;
}

export interface Drafted {
  readonly draft: Draft;
  readonly findings: readonly Finding[];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses every block of a contract by itself. */
export function draftContract(value: unknown): Drafted {
  const root = isRecord(value) ? value : {};
  const findings: Finding[] = [];
  if (!isRecord(value))
    findings.push(
      errorAt([], "not-a-contract", "a contract is a block of keys that begins with `wap_contract: 1`"),
    );

  const shape = declarationSchema.shape;
  for (const key of Object.keys(root)) {
    if (!Object.hasOwn(shape, key)) findings.push(unknownKey([], "a contract", key, Object.keys(shape)));
  }
  const blocks: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries<z.ZodType>(shape)) {
    if (key === "clauses") continue;
    const block = Object.hasOwn(root, key) ? root[key] : undefined;
    const parsed = parseWith(schema, block);
    if (parsed.success) {
      if (parsed.data !== undefined) blocks[key] = parsed.data;
    } else if (block === undefined) {
      if (isRecord(value)) findings.push(errorAt([key], "missing-key", `${shown(key)} is missing`));
    } else {
      findings.push(...describeIssues(parsed.error.issues, block, schema, [key], shown(key)));
    }
  }

  const clauses = parseClauses(root["clauses"], ["clauses"]);
  if (!isRecord(value)) return { draft: { clauses }, findings };
  if (!isRecord(root["clauses"])) {
    findings.push(
      errorAt(["clauses"], "missing-key", '"clauses" is missing: all seven clauses are declared there'),
    );
  } else {
    for (const key of Object.keys(root["clauses"])) {
      if (!CLAUSES.some((clause) => clause === key))
        findings.push(unknownKey(["clauses"], '"clauses"', key, CLAUSES));
    }
    findings.push(...CLAUSES.flatMap((clause) => clauses[clause].findings));
  }
  return { draft: { ...(blocks as Partial<Pick<Declaration, BlockName>>), clauses }, findings };
}
