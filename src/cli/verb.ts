// What a verb of the command line is: it adds itself to the program, and says how it ended through `run`.
import type { Command } from "commander";
import type { ExitCode } from "../domain/outcome.ts";
import type { Cli } from "./context.ts";

export type Register = (program: Command, run: RunVerb) => void;

/** Runs the body of a verb with everything it has at hand. */
export type RunVerb = (body: (cli: Cli) => Promise<ExitCode>) => Promise<void>;
