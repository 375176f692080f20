// Which credential a verb that only reads uses: the one that was named, else the first of the duties' that is set.
import type { Cli } from "./context.ts";

const DUTIES = ["WAP_BUILD_URL", "WAP_APPROVE_URL", "WAP_PUBLISH_URL"] as const;

export const readingVariable = (cli: Cli): string =>
  cli.urlEnv ?? DUTIES.find((name) => (cli.surroundings.environment[name] ?? "") !== "") ?? DUTIES[0];
