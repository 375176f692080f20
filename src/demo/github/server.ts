// The stand-in for GitHub's REST API: a small HTTP server on loopback, with tokens, pages, faults, and an inspector for the tests.
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type Answer, notFound, type Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { type JsonObject, StandInState } from "./state.ts";

/** Looks at every request and answer; the tests check both against GitHub's own OpenAPI description. Returns what is wrong. */
export interface Inspector {
  readonly request: (
    operation: string,
    parameters: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string>>,
    body: unknown,
  ) => readonly string[];
  readonly answer: (operation: string, status: number, body: unknown) => readonly string[];
}

/** The next matching request is answered like this instead; status 0 resets the connection. */
export interface Fault {
  readonly operation: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  times: number;
}

export interface Logged {
  readonly operation: string;
  readonly status: number;
  readonly body: string;
}

export interface GitHubStandIn {
  readonly url: string;
  readonly state: StandInState;
  readonly faults: Fault[];
  readonly violations: string[];
  readonly log: Logged[];
  /** Called before each answer, with the operation: moves the world between two requests of a client. */
  onRequest: ((operation: string) => void) | null;
  readonly stop: () => Promise<void>;
}

interface Route {
  readonly id: string;
  readonly operation: Operation;
  readonly expression: RegExp;
  readonly names: readonly string[];
}

const ROUTES: readonly Route[] = Object.entries(OPERATIONS)
  .map(([id, operation]) => {
    const names: string[] = [];
    const pattern = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      names.push(name);
      return name === "path" ? "(.+)" : "([^/]+)";
    });
    return { id, operation, expression: new RegExp(`^${pattern}$`), names };
  })
  .toSorted((a, b) => b.operation.path.length - a.operation.path.length);

export async function startGitHubStandIn(inspector: Inspector | null = null): Promise<GitHubStandIn> {
  const standIn: GitHubStandIn = {
    url: "",
    state: new StandInState(),
    faults: [],
    violations: [],
    log: [],
    onRequest: null,
    stop: () => close(server),
  };
  const server = createServer((request, response) => {
    void readBody(request).then((raw) => {
      const { operation, answer, headers } = handled(standIn, inspector, request, raw);
      standIn.log.push({ operation, status: answer?.status ?? 0, body: raw });
      if (answer === null) {
        request.socket.destroy();
        return;
      }
      const bytes = /\braw\b/.test(request.headers.accept ?? "") ? answer.raw : undefined;
      const type =
        bytes === undefined
          ? "application/json; charset=utf-8"
          : "application/vnd.github.raw+json; charset=utf-8";
      response.writeHead(answer.status, {
        "content-type": type,
        "x-ratelimit-remaining": "4999",
        "x-ratelimit-limit": "5000",
        ...headers,
      });
      response.end(bytes ?? JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return Object.assign(standIn, { url: `http://127.0.0.1:${port}` });
}

/** A request that the stand-in itself cannot handle is answered, and counts as a violation. */
function handled(
  standIn: GitHubStandIn,
  inspector: Inspector | null,
  request: IncomingMessage,
  raw: string,
): Handled {
  try {
    return handle(standIn, inspector, request, raw);
  } catch (error) {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    standIn.violations.push(`the stand-in failed on ${request.method} ${request.url}: ${said}`);
    return { operation: "", answer: message(500, "the stand-in failed"), headers: {} };
  }
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

interface Handled {
  readonly operation: string;
  /** Null resets the connection. */
  readonly answer: Answer | null;
  readonly headers: Record<string, string>;
}

const message = (status: number, sentence: string): Answer => ({
  status,
  body: { message: sentence, documentation_url: "https://docs.github.com/rest", status: `${status}` },
});

function handle(
  standIn: GitHubStandIn,
  inspector: Inspector | null,
  request: IncomingMessage,
  raw: string,
): Handled {
  const url = new URL(request.url ?? "/", `http://${request.headers.host ?? "stand-in"}`);
  const route = ROUTES.find(
    (one) => one.operation.method === request.method && one.expression.test(url.pathname),
  );
  if (route === undefined) {
    standIn.violations.push(`no such operation: ${request.method} ${url.pathname}`);
    return { operation: "", answer: notFound, headers: {} };
  }
  const { id, operation } = route;
  standIn.onRequest?.(id);
  const answered = (answer: Answer | null, headers: Record<string, string> = {}): Handled => ({
    operation: id,
    answer,
    headers,
  });
  const fault = standIn.faults.find((one) => one.operation === id && one.times > 0);
  if (fault !== undefined) {
    fault.times -= 1;
    return answered(
      fault.status === 0 ? null : { status: fault.status, body: fault.body ?? { message: "fault" } },
      { ...fault.headers },
    );
  }
  const matched = route.expression.exec(url.pathname) ?? [];
  const parameters = Object.fromEntries(
    route.names.map((name, n) => [name, decodeURIComponent(matched[n + 1] ?? "")]),
  );
  const query = Object.fromEntries(url.searchParams);
  const body: unknown = raw === "" ? undefined : JSON.parse(raw);
  const wrong = inspector?.request(id, parameters, query, body) ?? [];
  if (wrong.length > 0) {
    standIn.violations.push(...wrong.map((one) => `${id}: ${one}`));
    return answered(message(422, `Validation Failed: ${wrong.join("; ")}`));
  }
  const token = standIn.state.tokens.get(
    (request.headers.authorization ?? "").replace(/^(?:token|bearer) /i, ""),
  );
  if (token === undefined) return answered(message(401, "Bad credentials"));
  const allowed = operation.needs.some(
    ([permission, level]) =>
      permission === "metadata" ||
      token.permissions[permission] === "write" ||
      (level === "read" && token.permissions[permission] === "read"),
  );
  if (!allowed) {
    return answered(message(403, "Resource not accessible by integration"), {
      "x-accepted-github-permissions": operation.needs.map((need) => need.join("=")).join("; "),
    });
  }
  const repository =
    parameters["owner"] === undefined
      ? null
      : (standIn.state.repositories.get(`${parameters["owner"]}/${parameters["repo"]}`.toLowerCase()) ??
        null);
  if (parameters["owner"] !== undefined && repository === null) return answered(notFound);
  const answer = operation.answer({
    state: standIn.state,
    repository,
    parameters,
    query,
    body: typeof body === "object" && body !== null ? (body as JsonObject) : {},
    token,
  });
  const { page, headers } =
    answer.list === undefined ? { page: answer, headers: {} } : paged(answer.list, url, query);
  const broken = inspector?.answer(id, page.status, page.body) ?? [];
  if (broken.length > 0)
    standIn.violations.push(...broken.map((one) => `${id} answered ${page.status}: ${one}`));
  return answered(page, headers);
}

/** One page of a list, with GitHub's Link header. */
function paged(
  items: readonly Answer["body"][],
  url: URL,
  query: Readonly<Record<string, string>>,
): { page: Answer; headers: Record<string, string> } {
  const size = Number(query["per_page"] ?? 30);
  const number = Number(query["page"] ?? 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const link = (page: number): string =>
    `<${url.origin}${url.pathname}?${new URLSearchParams({ ...query, page: `${page}` })}>`;
  const parts = [
    ...(number < last ? [`${link(number + 1)}; rel="next"`, `${link(last)}; rel="last"`] : []),
    ...(number > 1 ? [`${link(1)}; rel="first"`] : []),
  ];
  return {
    page: { status: 200, body: items.slice((number - 1) * size, number * size) },
    headers: parts.length === 0 ? {} : { link: parts.join(", ") },
  };
}
