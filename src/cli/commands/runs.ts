// `wap runs`: the runs that the control tables hold, newest first.

import { Option } from "commander";
import { withReader } from "../../compose.ts";
import { EXIT } from "../../domain/outcome.ts";
import { type RunStatus, STATUSES } from "../../domain/run.ts";
import { evidenceOf } from "../../evidence/bundle.ts";
import { runTable } from "../../evidence/terminal.ts";
import { readingVariable } from "../reading-variable.ts";
import type { Register } from "../verb.ts";

interface Options {
  readonly contract?: string;
  readonly status?: RunStatus;
  readonly limit: number;
}

const wholeNumber = (text: string): number => Math.max(1, Math.min(10_000, Number.parseInt(text, 10) || 50));

export const registerRuns: Register = (program, run) => {
  program
    .command("runs")
    .description("list runs, newest first (any duty's credential)")
    .option("--contract <ID>", "only runs of this contract")
    .addOption(new Option("--status <STATUS>", "only runs in this status").choices(STATUSES))
    .option("--limit <N>", "at most this many", wholeNumber, 50)
    .addHelpText("before", "Example:\n  wap runs --contract flights --status published\n")
    .action((options: Options) =>
      run(async (cli) =>
        withReader(cli.surroundings, readingVariable(cli), async ({ reader }) => {
          const runs = await reader.runs({
            limit: options.limit,
            ...(options.contract === undefined ? {} : { contractId: options.contract }),
            ...(options.status === undefined ? {} : { status: options.status }),
          });
          if (cli.json) cli.output.result(JSON.stringify({ runs: runs.map(evidenceOf) }));
          else for (const line of runTable(runs, cli.surroundings.now())) cli.output.result(line);
          return EXIT.done;
        }),
      ),
    );
};
