// What the command line writes: the result to stdout, the talk to stderr, every byte of it redacted.
import { styleText } from "node:util";

export type Style = (kind: "good" | "bad" | "warn" | "dim" | "strong", text: string) => string;

export interface Output {
  /** The result; a document with --json. */
  readonly result: (text: string) => void;
  /** Progress, notes and refusals. */
  readonly talk: (text: string) => void;
  /** Rewrites the last line on a terminal; does nothing elsewhere. */
  readonly progress: (text: string) => void;
  readonly style: Style;
  readonly interactive: boolean;
  readonly plain: boolean;
  readonly width: number;
}

export interface OutputChoice {
  readonly json: boolean;
  readonly plain: boolean;
  /** `always`, `never` or `auto`; null where not given. */
  readonly color: string | null;
}

const FORMATS = { good: "green", bad: "red", warn: "yellow", dim: "gray", strong: "bold" } as const;

/** Decided once: `--color`, then NO_COLOR, FORCE_COLOR, TERM=dumb, then the stream's own terminal. */
function wantsColor(
  choice: OutputChoice,
  environment: Readonly<Record<string, string | undefined>>,
  stream: { readonly isTTY?: boolean },
): boolean {
  if (choice.color === "always") return true;
  if (choice.color === "never") return false;
  if ((environment["NO_COLOR"] ?? "") !== "") return false;
  if ((environment["FORCE_COLOR"] ?? "") !== "") return environment["FORCE_COLOR"] !== "0";
  if (environment["TERM"] === "dumb") return false;
  return stream.isTTY === true || environment["GITHUB_ACTIONS"] === "true";
}

export interface Streams {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
}

export function outputTo(
  streams: Streams,
  choice: OutputChoice,
  environment: Readonly<Record<string, string | undefined>>,
  redact: (text: string) => string,
): Output {
  const color = wantsColor(choice, environment, streams.stderr);
  const interactive = streams.stderr.isTTY === true && !choice.plain;
  let pending = false;
  const clear = (): void => {
    if (pending) streams.stderr.write("\r\u001b[K");
    pending = false;
  };
  return {
    result: (text) => {
      clear();
      streams.stdout.write(`${redact(text)}\n`);
    },
    talk: (text) => {
      clear();
      streams.stderr.write(`${redact(text)}\n`);
    },
    progress: (text) => {
      if (!interactive) return;
      clear();
      streams.stderr.write(redact(text));
      pending = true;
    },
    style: (kind, text) => (color ? styleText(FORMATS[kind], text, { validateStream: false }) : text),
    interactive,
    plain: choice.plain || !interactive,
    width: Math.min(streams.stderr.columns ?? 80, 100),
  };
}
