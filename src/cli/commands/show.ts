// `wap show`: everything the control tables hold of one run; as text, evidence JSON or a self-contained HTML report.
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { withReader } from "../../compose.ts";
import { EXIT } from "../../domain/outcome.ts";
import { evidenceOf } from "../../evidence/bundle.ts";
import { reportHtml } from "../../evidence/report.ts";
import { showLines } from "../../evidence/terminal.ts";
import { tellRefusal } from "../context.ts";
import { readingVariable } from "../reading-variable.ts";
import { runOfArgument } from "../run-argument.ts";
import type { Register } from "../verb.ts";

interface Options {
  readonly html?: string;
}

export const registerShow: Register = (program, run) => {
  program
    .command("show")
    .description("show one run: readings, approval, publication, verification (any duty's credential)")
    .argument("<run>", "run id")
    .option("--html <FILE>", "write the report to a file")
    .addHelpText("before", "Example:\n  wap show 3f0c2a9e-5b1d-4c6e-9f0a-1b2c3d4e5f60 --html report.html\n")
    .action((id: string, options: Options) =>
      run(async (cli) => {
        const runId = runOfArgument(id);
        return withReader(cli.surroundings, readingVariable(cli), async ({ reader }) => {
          const record = await reader.run(runId);
          if (record === null)
            return tellRefusal(cli, { code: "run_unknown", message: `there is no run ${runId}` });
          if (options.html !== undefined) {
            await writeFile(resolve(cli.surroundings.root, options.html), reportHtml(record));
            cli.output.talk(`report written to ${options.html}`);
          }
          if (cli.json) cli.output.result(JSON.stringify(evidenceOf(record)));
          else for (const line of showLines(record, cli.output.style)) cli.output.result(line);
          return EXIT.done;
        });
      }),
    );
};
