// `wap validate`: every problem of a contract at once, with its place; needs no database.
import { loadContract } from "../../compose.ts";
import { contractPaths } from "../../contract-paths.ts";
import { codeFrame, plainProblem } from "../../contracts/frame.ts";
import { EXIT } from "../../domain/outcome.ts";
import type { Register } from "../verb.ts";

export const registerValidate: Register = (program, run) => {
  program
    .command("validate")
    .description("check contracts; every problem at once, with line and column")
    .argument("[contracts...]", "paths or globs", ["contracts/**/*.{yml,yaml}"])
    .addHelpText("before", "Example:\n  wap validate contracts/flights/flights.yml\n")
    .action((patterns: string[]) =>
      run(async (cli) => {
        const paths = await contractPaths(cli.surroundings.root, patterns);
        const loaded = await Promise.all(paths.map((path) => loadContract(cli.surroundings, path)));
        const problems = loaded.flatMap((one) => one.problems);
        const errors = problems.filter((problem) => problem.severity === "error");
        if (cli.json) {
          cli.output.result(
            JSON.stringify({
              valid: errors.length === 0,
              problems: problems.map(({ path, line, column, severity, code, message }) => ({
                path,
                line,
                column,
                severity,
                code,
                message,
              })),
            }),
          );
        }
        for (const { bytes, problems: own } of loaded) {
          const text = new TextDecoder().decode(bytes);
          for (const problem of own)
            cli.output.talk(
              cli.output.plain
                ? plainProblem(problem)
                : codeFrame(problem, text, { width: cli.output.width }),
            );
        }
        const wrong = loaded.filter((one) =>
          one.problems.some((problem) => problem.severity === "error"),
        ).length;
        const summary =
          errors.length === 0
            ? `${loaded.length} ${loaded.length === 1 ? "contract" : "contracts"} valid`
            : `${errors.length} ${errors.length === 1 ? "error" : "errors"} in ${wrong} of ${loaded.length} contracts`;
        if (cli.json) cli.output.talk(summary);
        else cli.output.result(summary);
        return errors.length === 0 ? EXIT.done : EXIT.usage;
      }),
    );
};
