// `wap approve`: records an approval outside GitHub, with the approver's own credential and a durable reference.
import { withApprover } from "../../compose.ts";
import { EXIT } from "../../domain/outcome.ts";
import { approve } from "../../steps/index.ts";
import { tellRefusal } from "../context.ts";
import { runOfArgument } from "../run-argument.ts";
import type { Register } from "../verb.ts";

interface Options {
  readonly ref: string;
}

export const registerApprove: Register = (program, run) => {
  program
    .command("approve")
    .description("approve exactly one audited run; binds every hash of its evidence (WAP_APPROVE_URL)")
    .argument("<run>", "run id")
    .requiredOption("--ref <URL>", "durable reference of the decision: a ticket, a comment, a signed mail")
    .addHelpText(
      "before",
      "Example:\n  wap approve 3f0c2a9e-5b1d-4c6e-9f0a-1b2c3d4e5f60 --ref https://tickets.example/482\n",
    )
    .action((id: string, options: Options) =>
      run(async (cli) => {
        const runId = runOfArgument(id);
        return withApprover(
          cli.surroundings,
          cli.urlEnv ?? "WAP_APPROVE_URL",
          async ({ login, ...duties }) => {
            const approved = await approve(
              runId,
              { kind: "publish", by: `login:${login}`, ref: options.ref, facts: { via: "cli" } },
              duties,
            );
            if (!approved.ok) return tellRefusal(cli, approved.refusal);
            if (cli.json) cli.output.result(JSON.stringify({ run_id: runId, approval: approved.value }));
            else
              cli.output.result(`APPROVED  ${runId} by ${approved.value.by}.   next: wap publish ${runId}`);
            return EXIT.done;
          },
        );
      }),
    );
};
