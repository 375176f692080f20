// `wap setup`: creates the control schema and the roles, or verifies what stands; `--print` gives the SQL to an administrator.
import { dutyGrants, setUp, setupScript, verifySetup } from "../../compose.ts";
import { EXIT } from "../../domain/outcome.ts";
import { tellRefusal } from "../context.ts";
import type { Register } from "../verb.ts";

interface Options {
  readonly print?: boolean;
  readonly verify?: boolean;
}

export const registerSetup: Register = (program, run) => {
  program
    .command("setup")
    .description("create or verify the control schema, roles and doors (WAP_ADMIN_URL)")
    .option("--print", "print the SQL for a database administrator instead of running it")
    .option("--verify", "only verify what stands; changes nothing")
    .addHelpText(
      "before",
      "Example:\n  WAP_ADMIN_URL=postgres://admin@host/db wap setup\n  wap setup --print > setup.sql\n",
    )
    .action((options: Options) =>
      run(async (cli) => {
        if (options.print === true) {
          cli.output.result(`${setupScript()}\n${dutyGrants}`);
          return EXIT.done;
        }
        const variable = cli.urlEnv ?? "WAP_ADMIN_URL";
        const outcome =
          options.verify === true
            ? await verifySetup(cli.surroundings, variable)
            : await setUp(cli.surroundings, variable);
        if (!outcome.ok) return tellRefusal(cli, outcome.refusal);
        const { created, properties, fingerprint } = outcome.value;
        if (cli.json) cli.output.result(JSON.stringify(outcome.value));
        else {
          cli.output.result(
            `control schema wap_admin ${created ? "created" : "stands"}: ${properties} properties as expected, fingerprint ${fingerprint}`,
          );
          if (created)
            cli.output.result(
              `\nGrant the duties next (wap setup --print shows the whole script):\n\n${dutyGrants}`,
            );
        }
        return EXIT.done;
      }),
    );
};
