// `wap rollback`: approves and performs the way back from a bad run, with the approver's and the publisher's credentials.
import { withApprover, withPublisher } from "../../compose.ts";
import { approve, rollBackRun } from "../../steps/index.ts";
import { tellRefusal } from "../context.ts";
import { endWithRun } from "../end-with-run.ts";
import { runOfArgument } from "../run-argument.ts";
import type { Register } from "../verb.ts";

interface Options {
  readonly ref: string;
}

export const registerRollback: Register = (program, run) => {
  program
    .command("rollback")
    .description(
      "go back from a published run to the version before it (WAP_APPROVE_URL and WAP_PUBLISH_URL)",
    )
    .argument("<run>", "id of the bad run")
    .requiredOption(
      "--ref <URL>",
      "durable reference of the decision; the rollback is an approval of its own",
    )
    .addHelpText(
      "before",
      "Example:\n  wap rollback 3f0c2a9e-5b1d-4c6e-9f0a-1b2c3d4e5f60 --ref https://tickets.example/483\n",
    )
    .action((id: string, options: Options) =>
      run(async (cli) => {
        const runId = runOfArgument(id);
        const approved = await withApprover(cli.surroundings, "WAP_APPROVE_URL", ({ login, ...duties }) =>
          approve(
            runId,
            { kind: "rollback", by: `login:${login}`, ref: options.ref, facts: { via: "cli" } },
            duties,
          ),
        );
        if (!approved.ok) return tellRefusal(cli, approved.refusal);
        return withPublisher(cli.surroundings, cli.urlEnv ?? "WAP_PUBLISH_URL", async (duties) =>
          endWithRun(cli, duties.reader, runId, await rollBackRun(runId, duties)),
        );
      }),
    );
};
