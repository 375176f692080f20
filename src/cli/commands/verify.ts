// `wap verify`: looks again at what readers of a published run's target see, as the consumer role.
import { withPublisher } from "../../compose.ts";
import { verify } from "../../steps/index.ts";
import { endWithRun } from "../end-with-run.ts";
import { runOfArgument } from "../run-argument.ts";
import type { Register } from "../verb.ts";

export const registerVerify: Register = (program, run) => {
  program
    .command("verify")
    .description(
      "verify a published or rolled-back run's target in a new transaction, as the consumer role (WAP_PUBLISH_URL)",
    )
    .argument("<run>", "run id")
    .addHelpText("before", "Example:\n  wap verify 3f0c2a9e-5b1d-4c6e-9f0a-1b2c3d4e5f60\n")
    .action((id: string) =>
      run(async (cli) => {
        const runId = runOfArgument(id);
        return withPublisher(cli.surroundings, cli.urlEnv ?? "WAP_PUBLISH_URL", async (duties) => {
          return endWithRun(cli, duties.reader, runId, await verify(runId, duties));
        });
      }),
    );
};
