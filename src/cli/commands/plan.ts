// `wap plan`: what a publish would do and why it is safe; read-only.
import { loadContract, planOf, validContract } from "../../compose.ts";
import { contractPaths } from "../../contract-paths.ts";
import { EXIT, type ExitCode } from "../../domain/outcome.ts";
import { planLines } from "../../evidence/terminal.ts";
import { tellRefusal } from "../context.ts";
import type { Register } from "../verb.ts";

export const registerPlan: Register = (program, run) => {
  program
    .command("plan")
    .description(
      "show the target's inventory, the promotion strategy, its locks and the rollback name; changes nothing (WAP_BUILD_URL)",
    )
    .argument("<contracts...>", "paths or globs")
    .addHelpText(
      "before",
      "Example:\n  WAP_BUILD_URL=postgres://builder@host/db wap plan contracts/flights/flights.yml\n",
    )
    .action((patterns: string[]) =>
      run(async (cli) => {
        const documents: unknown[] = [];
        let worst: ExitCode = EXIT.done;
        for (const path of await contractPaths(cli.surroundings.root, patterns)) {
          const contract = validContract(await loadContract(cli.surroundings, path));
          const planned = await planOf(cli.surroundings, contract, cli.urlEnv);
          if (!planned.ok) {
            worst = Math.max(worst, tellRefusal(cli, planned.refusal)) as ExitCode;
            continue;
          }
          const { report, plan, preflightFingerprint } = planned.value;
          documents.push({
            contract: contract.id,
            preflight: report,
            plan,
            fingerprints: { preflight: preflightFingerprint },
          });
          if (!cli.json) for (const line of planLines(contract.id, report, plan)) cli.output.result(line);
        }
        if (cli.json && documents.length > 0)
          cli.output.result(JSON.stringify(documents.length === 1 ? documents[0] : { plans: documents }));
        return worst;
      }),
    );
};
