// Faults: something that went away or broke. A decision that says no is a Refusal (outcome.ts), not an error.
import type { ReasonCode, Refusal } from "./outcome.ts";

export interface WapErrorOptions {
  readonly cause?: unknown;
  readonly next?: string;
  /** A second error met while cleaning up after the first: both are kept. */
  readonly whileCleaning?: unknown;
}

/** A fault with a reason code. `message` is one clear sentence without secrets; the cause is never printed unredacted. */
export class WapError extends Error {
  readonly code: ReasonCode;
  readonly next: string | undefined;
  readonly whileCleaning: unknown;

  constructor(code: ReasonCode, message: string, options: WapErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "WapError";
    this.code = code;
    this.next = options.next;
    this.whileCleaning = options.whileCleaning;
  }

  get refusal(): Refusal {
    return this.next === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, next: this.next };
  }
}

/** One problem of a file that a person wrote. Lines and columns count from 1. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  /** Kebab-case code of the problem, for example `unknown-key`. */
  readonly code: string;
  readonly message: string;
}

/** A file that does not parse; every problem of it at once. */
export class InvalidInput extends WapError {
  readonly problems: readonly Problem[];

  constructor(code: "contract_invalid" | "transform_invalid", problems: readonly Problem[]) {
    const first = problems[0];
    const where = first === undefined ? "" : `${first.path}:${first.line}:${first.column}: ${first.message}`;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    super(code, `${where}${more}`);
    this.name = "InvalidInput";
    this.problems = problems;
  }
}
