// `wap demo`: the main job end to end on this machine, with an embedded PostgreSQL and a stand-in for GitHub.
import { runDemo } from "../../demo/run.ts";
import { EXIT } from "../../domain/outcome.ts";
import type { Register } from "../verb.ts";

export const registerDemo: Register = (program, run) => {
  program
    .command("demo")
    .description("show the whole story on real flight data: no account, no server, no Docker")
    .addHelpText("before", "Example:\n  wap demo\n")
    .action(() =>
      run(async (cli) => {
        await runDemo({ say: cli.output.result, style: cli.output.style, root: cli.surroundings.root });
        return EXIT.done;
      }),
    );
};
