// One connection to GitHub's REST API: proxy, retries and throttling, and errors that never show the token.
import { randomUUID } from "node:crypto";
import { getOctokitOptions } from "@actions/github/lib/utils";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import Bottleneck from "bottleneck";
import { WapError } from "../domain/errors.ts";
import { Octokit, RequestError } from "./octokit.ts";

/** A limit that asks for a longer wait ends the call: a runner is not held for it (github R40). */
const MAX_WAIT_SECONDS = 60;
const RETRIES = 2;
const ANSWER_MS = 30_000;
/** Answers that do not get better by asking again. */
const FINAL = [400, 401, 403, 404, 409, 410, 422, 429, 451];

/** A server on this machine has no secondary limits: its writes go one at a time as well, but need no pause between them. */
class Unhurried extends Bottleneck {
  static override readonly Group = class extends Bottleneck.Group {
    constructor(options: Bottleneck.ConstructorOptions) {
      super({ ...options, minTime: 0 });
    }
  };
}
const isThisMachine = (apiUrl: string): boolean =>
  ["127.0.0.1", "localhost", "[::1]"].includes(new URL(apiUrl).hostname);

const Throttled = Octokit.plugin(retry, throttling);
export type Api = InstanceType<typeof Throttled>;

/** Writes go one at a time, at the pace that GitHub asks for; a server's 5xx and a cut connection are tried again twice. */
export function connect(token: string, apiUrl: string): Api {
  const patience = (after: number, _request: object, _octokit: object, count: number): boolean =>
    after <= MAX_WAIT_SECONDS && count < RETRIES;
  const silent = (): undefined => undefined;
  const api = new Throttled({
    // Takes the proxy of the runner's environment.
    ...getOctokitOptions(token, { baseUrl: apiUrl }),
    retry: { doNotRetry: FINAL, retries: RETRIES },
    throttle: {
      ...(isThisMachine(apiUrl) ? { Bottleneck: Unhurried } : {}),
      id: randomUUID(),
      onRateLimit: patience,
      onSecondaryRateLimit: patience,
    },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  // A server that takes the request and never answers must not hold the job.
  api.hook.wrap("request", (request, options) =>
    request({ ...options, request: { ...options.request, signal: AbortSignal.timeout(ANSWER_MS) } }),
  );
  return api;
}

/** HTTP status of an error of GitHub's; null for anything else. */
export const statusOf = (error: unknown): number | null =>
  error instanceof RequestError ? error.status : null;

/** What GitHub said, without the request that holds the token. */
export function unavailable(what: string, error: unknown): WapError {
  if (error instanceof WapError) return error;
  const said =
    error instanceof RequestError
      ? `${error.status}: ${error.message}`
      : error instanceof Error
        ? error.message
        : "no answer";
  const needed = neededPermissions(error);
  return new WapError(
    "github_unavailable",
    `${what} on GitHub failed (${said})`,
    needed === null ? {} : { next: `Give the token ${needed}, then run the job again.` },
  );
}

/** GitHub names the permissions that a call needs beside the 403; null for any other error. */
export function neededPermissions(error: unknown): string | null {
  if (!(error instanceof RequestError) || error.status !== 403) return null;
  const named = error.response?.headers["x-accepted-github-permissions"];
  return typeof named === "string" && /^[\w=;, -]+$/.test(named)
    ? `the permissions ${named}`
    : "the permissions that the README lists";
}
