// Builds the program from the list of verbs, runs one, and turns how it ended into an exit code.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { environmentRedactor, type Surroundings } from "../compose.ts";
import { EXIT, type ExitCode } from "../domain/outcome.ts";
import { registerApprove } from "./commands/approve.ts";
import { registerAudit } from "./commands/audit.ts";
import { registerDemo } from "./commands/demo.ts";
import { registerHelpCode } from "./commands/help.ts";
import { registerPlan } from "./commands/plan.ts";
import { registerPublish } from "./commands/publish.ts";
import { registerRollback } from "./commands/rollback.ts";
import { registerRuns } from "./commands/runs.ts";
import { registerSetup } from "./commands/setup.ts";
import { registerShow } from "./commands/show.ts";
import { registerValidate } from "./commands/validate.ts";
import { registerVerify } from "./commands/verify.ts";
import { type Cli, tellError } from "./context.ts";
import { outputTo, type Streams } from "./output.ts";
import { stepLog } from "./progress.ts";
import type { Register, RunVerb } from "./verb.ts";
import { VERSION } from "./version.ts";

/** The verbs in the order of `wap --help`. */
const VERBS: readonly Register[] = [
  registerDemo,
  registerSetup,
  registerValidate,
  registerPlan,
  registerAudit,
  registerApprove,
  registerPublish,
  registerVerify,
  registerRollback,
  registerRuns,
  registerShow,
  registerHelpCode,
];

interface GlobalOptions {
  readonly json?: boolean;
  readonly plain?: boolean;
  readonly color?: string;
  readonly urlEnv?: string;
  readonly workingDirectory?: string;
}

export interface ProcessLike extends Streams {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly on: (event: "SIGINT" | "SIGTERM", listener: () => void) => unknown;
}

/** The program without its effects: what README and completions are generated from. */
export function buildProgram(run: RunVerb): Command {
  const program = new Command("wap")
    .description(
      "Write-audit-publish: build a candidate in isolation, audit it against its contract, publish exactly what was approved.",
    )
    .version(VERSION)
    .option("--json", "print one JSON document on stdout; talk goes to stderr")
    .option("--plain", "no drawing characters, one line a problem (default without a terminal)")
    .option("--color <when>", "always, never or auto")
    .option(
      "--url-env <NAME>",
      "environment variable that holds the connection string, instead of the verb's own",
    )
    .option("--working-directory <DIR>", "root of the repository; paths of contracts are relative to it")
    .addHelpText(
      "before",
      [
        "Example:",
        "  wap validate contracts/flights/flights.yml",
        "  WAP_BUILD_URL=postgres://… wap audit contracts/flights/flights.yml",
        "",
        "Variables: WAP_BUILD_URL (builder and auditor), WAP_APPROVE_URL (approver), WAP_PUBLISH_URL (publisher), WAP_ADMIN_URL (setup).",
        "",
      ].join("\n"),
    )
    .showHelpAfterError("See `wap --help`.")
    .showSuggestionAfterError()
    .helpCommand(false);
  for (const register of VERBS) register(program, run);
  return program;
}

/** Runs one command line. @returns the exit code; never throws, never exits by itself. */
export async function main(argv: readonly string[], host: ProcessLike): Promise<ExitCode> {
  let ended: ExitCode = EXIT.done;
  const program = buildProgram(async (body) => {
    ended = await withCli(program.opts<GlobalOptions>(), host, body);
  });
  const throwing = (command: Command): void => {
    command.exitOverride().configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    });
    command.commands.forEach(throwing);
  };
  throwing(program);
  try {
    if (argv.length === 0) {
      program.outputHelp();
      return EXIT.usage;
    }
    await program.parseAsync([...argv], { from: "user" });
    return ended;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    throw error;
  }
}

async function withCli(
  options: GlobalOptions,
  host: ProcessLike,
  body: (cli: Cli) => Promise<ExitCode>,
): Promise<ExitCode> {
  const redact = environmentRedactor(host.env);
  const output = outputTo(
    host,
    { json: options.json === true, plain: options.plain === true, color: options.color ?? null },
    host.env,
    redact,
  );
  const root = resolve(host.cwd(), options.workingDirectory ?? ".");
  let interrupted = false;
  let cancel: (() => Promise<void>) | null = null;
  const interrupt = (): void => {
    interrupted = true;
    // A cancellation that cannot be sent leaves the statement to the server's own timeouts; the run's state is reported either way.
    void cancel?.().catch(() => undefined);
  };
  host.on("SIGINT", interrupt);
  host.on("SIGTERM", interrupt);
  const surroundings: Surroundings = {
    environment: host.env,
    root,
    now: () => new Date(),
    log: stepLog(output, () => performance.now()),
    onCancellable: (given) => {
      cancel = given;
      if (interrupted) interrupt();
    },
  };
  const cli: Cli = {
    output,
    json: options.json === true,
    surroundings,
    urlEnv: options.urlEnv ?? null,
    interrupted: () => interrupted,
  };
  try {
    return await body(cli);
  } catch (error) {
    return tellError(cli, error, (path) => readFile(resolve(root, path), "utf8").catch(() => null));
  }
}
