// `wap help <code>`: what a reason code means and what to do next.
import { EXIT, isReasonCode, REASONS } from "../../domain/outcome.ts";
import { tellRefusal } from "../context.ts";
import type { Register } from "../verb.ts";

export const registerHelpCode: Register = (program, run) => {
  program
    .command("help")
    .description("explain a reason code, or print the help of a verb")
    .argument("[word]", "a reason code such as stale_base, or a verb")
    .addHelpText("before", "Example:\n  wap help stale_base\n")
    .action((word: string | undefined) =>
      run(async (cli) => {
        const verb = program.commands.find((command) => command.name() === word);
        if (word === undefined || verb !== undefined) {
          cli.output.result((verb ?? program).helpInformation());
          return EXIT.done;
        }
        if (!isReasonCode(word))
          return tellRefusal(cli, {
            code: "usage",
            message: `${JSON.stringify(word)} is neither a reason code nor a verb`,
          });
        const { exit, next } = REASONS[word];
        cli.output.result(`${word} (exit ${exit})\n  ${next}`);
        return EXIT.done;
      }),
    );
};
