// How verbs that act on one run end: its evidence as JSON, or its state in a few lines, and the exit code.
import { EXIT, type ExitCode, type Outcome } from "../domain/outcome.ts";
import type { RunId } from "../domain/run.ts";
import { evidenceOf } from "../evidence/bundle.ts";
import { stateLines } from "../evidence/terminal.ts";
import type { ControlReader } from "../ports.ts";
import { type Cli, tellRefusal } from "./context.ts";

export async function endWithRun(
  cli: Cli,
  reader: ControlReader,
  runId: RunId,
  outcome: Outcome<unknown>,
): Promise<ExitCode> {
  const record = await reader.run(runId);
  if (cli.json && record !== null) cli.output.result(JSON.stringify(evidenceOf(record)));
  if (!outcome.ok) return tellRefusal({ ...cli, json: cli.json && record === null }, outcome.refusal);
  if (record !== null && !cli.json)
    for (const line of stateLines(record, cli.output.style)) cli.output.result(line);
  return EXIT.done;
}
