// What every verb has at hand, and how a refusal or a fault becomes a sentence and an exit code.
import type { Surroundings } from "../compose.ts";
import { codeFrame, plainProblem } from "../contracts/frame.ts";
import { InvalidInput, WapError } from "../domain/errors.ts";
import { EXIT, type ExitCode, exitCodeOf, nextStepOf, type Refusal } from "../domain/outcome.ts";
import type { Output } from "./output.ts";

export interface Cli {
  readonly output: Output;
  readonly json: boolean;
  readonly surroundings: Surroundings;
  /** Name of the variable that --url-env gave, or null. */
  readonly urlEnv: string | null;
  /** True after Ctrl-C. */
  readonly interrupted: () => boolean;
}

/** Prints a refusal with its next step; a JSON document with --json. */
export function tellRefusal(cli: Cli, refusal: Refusal): ExitCode {
  const next = nextStepOf(refusal);
  if (cli.json) cli.output.result(JSON.stringify({ code: refusal.code, message: refusal.message, next }));
  cli.output.talk(`${cli.output.style("bad", `error[${refusal.code}]`)} ${refusal.message}`);
  cli.output.talk(`  next  ${next}`);
  return exitCodeOf(refusal.code);
}

/** Prints whatever was thrown; never a stack trace, never a secret (the output redacts). */
export async function tellError(
  cli: Cli,
  error: unknown,
  textOf: (path: string) => Promise<string | null>,
): Promise<ExitCode> {
  if (cli.interrupted()) {
    return tellRefusal(cli, {
      code: "interrupted",
      message: "interrupted: the running statement was cancelled and its transaction rolled back",
    });
  }
  if (error instanceof InvalidInput) {
    if (cli.json) {
      cli.output.result(
        JSON.stringify({
          valid: false,
          problems: error.problems.map(({ path, line, column, code, message }) => ({
            path,
            line,
            column,
            code,
            message,
          })),
        }),
      );
    }
    for (const problem of error.problems) {
      const text = cli.output.plain ? null : await textOf(problem.path);
      cli.output.talk(
        text === null ? plainProblem(problem) : codeFrame(problem, text, { width: cli.output.width }),
      );
    }
    return EXIT.usage;
  }
  if (error instanceof WapError) {
    const told = tellRefusal(cli, error.refusal);
    if (error.whileCleaning instanceof Error) cli.output.talk(`  then  ${error.whileCleaning.message}`);
    return told;
  }
  return tellRefusal(cli, {
    code: "internal",
    message: error instanceof Error ? error.message : String(error),
  });
}
