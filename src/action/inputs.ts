// The Action's inputs, parsed once (product: Action inputs and outputs). The names are those of action.yml.
import * as core from "@actions/core";
import { z } from "zod";
import { DEFAULT_CONTRACTS } from "../contract-paths.ts";
import { WapError } from "../domain/errors.ts";
import { parseRunId, type RunId } from "../domain/run.ts";

export const COMMANDS = ["auto", "audit", "publish", "rollback", "prune", "status"] as const;
export type CommandInput = (typeof COMMANDS)[number];

export interface Inputs {
  readonly command: CommandInput;
  readonly contracts: readonly string[];
  readonly runId: RunId | null;
  readonly token: string;
  /** Entries where the base branch's contract names none; null where the input is empty. */
  readonly approvers: readonly string[] | null;
  readonly allowAuthorApproval: boolean;
  readonly failOnAudit: boolean;
  readonly dryRun: boolean;
  readonly workingDirectory: string;
}

const list = (text: string): readonly string[] =>
  text
    .split(/[\n,]+(?![^{]*\})/)
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** @throws WapError usage, naming the input */
export function readInputs(): Inputs {
  const command = z.enum(COMMANDS).safeParse(core.getInput("command") || "auto");
  if (!command.success) throw new WapError("usage", `the input command is one of ${COMMANDS.join(", ")}`);
  const given = core.getInput("run-id");
  const runId = given === "" ? null : parseRunId(given);
  if (given !== "" && runId === null) throw new WapError("usage", "the input run-id is a complete UUID");
  const contracts = list(core.getInput("contracts"));
  const approvers = list(core.getInput("approvers"));
  const flag = (name: string, otherwise: boolean): boolean =>
    core.getInput(name) === "" ? otherwise : core.getBooleanInput(name);
  return {
    command: command.data,
    contracts: contracts.length === 0 ? [DEFAULT_CONTRACTS] : contracts,
    runId,
    token: core.getInput("github-token"),
    approvers: approvers.length === 0 ? null : approvers,
    allowAuthorApproval: flag("allow-author-approval", false),
    failOnAudit: flag("fail-on-audit", true),
    dryRun: flag("dry-run", false),
    workingDirectory: core.getInput("working-directory") || ".",
  };
}
