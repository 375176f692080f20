// `wap publish`: promotes an approved run in one guarded transaction and verifies it. Never approves by itself.
import { withPublisher } from "../../compose.ts";
import { publishRun } from "../../steps/index.ts";
import { endWithRun } from "../end-with-run.ts";
import { runOfArgument } from "../run-argument.ts";
import type { Register } from "../verb.ts";

export const registerPublish: Register = (program, run) => {
  program
    .command("publish")
    .description(
      "publish an approved run and verify what readers see; asking twice is harmless (WAP_PUBLISH_URL)",
    )
    .argument("<run>", "run id")
    .addHelpText("before", "Example:\n  wap publish 3f0c2a9e-5b1d-4c6e-9f0a-1b2c3d4e5f60\n")
    .action((id: string) =>
      run(async (cli) => {
        const runId = runOfArgument(id);
        return withPublisher(cli.surroundings, cli.urlEnv ?? "WAP_PUBLISH_URL", async (duties) => {
          return endWithRun(cli, duties.reader, runId, await publishRun(runId, duties));
        });
      }),
    );
};
