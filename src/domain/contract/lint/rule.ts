// What a lint rule is: facts of a contract in, findings out.
import type { Draft } from "../draft.ts";
import type { Finding } from "../finding.ts";

/** `today` is given by the caller: the domain has no clock. */
export type Rule = (draft: Draft, today: Date) => readonly Finding[];
