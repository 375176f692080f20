// GitHub over REST: octokit with retries and throttling, one write at a time, and errors that never show the token.
import { getOctokitOptions } from "@actions/github/lib/utils";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import { Octokit, RequestError } from "./octokit.ts";
import { WapError } from "../domain/errors.ts";
import type { CheckAnnotation, CheckRun, Comment, GitHub, PullRequest, Standing, ThreeValued } from "./port.ts";

export interface ClientOptions {
  readonly token: string;
  /** A token that may read the organisation's teams; GITHUB_TOKEN never may. */
  readonly teamToken?: string;
  /** `owner/name` */
  readonly repository: string;
  /** From GITHUB_API_URL; GitHub Enterprise Server has another than github.com. */
  readonly apiUrl: string;
  readonly warn: (sentence: string) => void;
}

/** GitHub lists at most this many commits of a pull request. */
const COMMIT_CAP = 250;
const ANNOTATIONS_A_REQUEST = 50;
/** Just after an event its objects may not be found yet (github R20). */
const NOT_FOUND_TRIES = 3;
const MAX_WAIT_SECONDS = 60;

const Throttled = Octokit.plugin(retry, throttling);

const statusOf = (error: unknown): number | null => (error instanceof RequestError ? error.status : null);

export function githubClient(options: ClientOptions): GitHub {
  const [owner = "", repo = ""] = options.repository.split("/");
  const make = (token: string) =>
    new Throttled({
      ...getOctokitOptions(token, { baseUrl: options.apiUrl }),
      retry: { doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451] },
      throttle: {
        onRateLimit: (after: number, _request: object, _octokit: object, count: number) => after <= MAX_WAIT_SECONDS && count < 2,
        onSecondaryRateLimit: (after: number, _request: object, _octokit: object, count: number) => after <= MAX_WAIT_SECONDS && count < 2,
      },
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  const api = make(options.token);
  const teams = make(options.teamToken ?? options.token);
  const here = { owner, repo };

  const asking = async <T>(what: string, ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      throw unavailable(what, error);
    }
  };
  const orNull = async <T>(what: string, ask: () => Promise<T>): Promise<T | null> => {
    try {
      return await ask();
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw unavailable(what, error);
    }
  };
  const patiently = async <T>(ask: () => Promise<T | null>): Promise<T | null> => {
    for (let tried = 1; ; tried += 1) {
      const found = await ask();
      if (found !== null || tried === NOT_FOUND_TRIES) return found;
      await new Promise((resolve) => setTimeout(resolve, 300 * tried));
    }
  };
  const content = (path: string, ref: string) => orNull(`reading ${path}`, () => api.rest.repos.getContent({ ...here, path, ref }));

  return {
    repository: options.repository,
    pullRequest: async (number): Promise<PullRequest> => {
      const found = await patiently(() => orNull("reading the pull request", () => api.rest.pulls.get({ ...here, pull_number: number })));
      if (found === null) throw new WapError("github_unavailable", `pull request #${number} of ${options.repository} was not found`);
      const { data } = found;
      return {
        number,
        state: data.state === "open" ? "open" : "closed",
        merged: data.merged,
        mergedBy: data.merged_by?.login ?? null,
        mergeCommitSha: data.merge_commit_sha,
        headSha: data.head.sha,
        headRepository: data.head.repo?.full_name ?? null,
        baseRef: data.base.ref,
        baseSha: data.base.sha,
        repositoryId: `${data.base.repo.id}`,
        author: data.user.login,
      };
    },
    changedFiles: (number) =>
      asking("listing the pull request's files", async () => {
        const files = await api.paginate(api.rest.pulls.listFiles, { ...here, pull_number: number, per_page: 100 });
        return files.flatMap((file) => (file.previous_filename === undefined ? [file.filename] : [file.filename, file.previous_filename]));
      }),
    committers: (number) =>
      asking("listing the pull request's commits", async () => {
        const commits = await api.paginate(api.rest.pulls.listCommits, { ...here, pull_number: number, per_page: 100 });
        if (commits.length >= COMMIT_CAP) return null;
        const logins = new Set<string>();
        for (const { author, committer } of commits) {
          // A commit by nobody that GitHub knows: who wrote it cannot be told.
          if (!author || !("login" in author)) return null;
          logins.add(author.login);
          if (committer && "login" in committer && committer.login !== "web-flow") logins.add(committer.login);
        }
        return [...logins];
      }),
    fileAt: async (path, ref) => {
      const found = await content(path, ref);
      if (found === null || Array.isArray(found.data) || !("content" in found.data) || found.data.encoding !== "base64") return null;
      return Buffer.from(found.data.content, "base64").toString("utf8");
    },
    blobAt: async (path, ref) => {
      const found = await content(path, ref);
      return found === null || Array.isArray(found.data) ? null : found.data.sha;
    },
    comment: async (id) => {
      const found = await patiently(() => orNull("reading the comment", () => api.rest.issues.getComment({ ...here, comment_id: id })));
      return found === null ? null : commentOf(found.data);
    },
    comments: (issue) =>
      asking("listing comments", async () => (await api.paginate(api.rest.issues.listComments, { ...here, issue_number: issue, per_page: 100 })).map(commentOf)),
    createComment: (issue, body) => asking("writing a comment", async () => commentOf((await api.rest.issues.createComment({ ...here, issue_number: issue, body })).data)),
    updateComment: (id, body) =>
      asking("editing a comment", async () => {
        await api.rest.issues.updateComment({ ...here, comment_id: id, body });
      }),
    react: async (commentId, reaction) => {
      try {
        await api.rest.reactions.createForIssueComment({ ...here, comment_id: commentId, content: reaction });
      } catch (error) {
        options.warn(`no reaction could be left (${statusOf(error) ?? "no answer"})`);
      }
    },
    publishCheck: async (check) => {
      try {
        await publishCheck(check);
      } catch (error) {
        if (statusOf(error) !== 403) throw unavailable("writing the check run", error);
        options.warn("the check run could not be written: the token needs `checks: write`");
      }
    },
    standing: (login) =>
      asking("asking for a user's permission", async (): Promise<Standing> => {
        const { data } = await api.rest.repos.getCollaboratorPermissionLevel({ ...here, username: login });
        const permissions = data.user?.permissions;
        return { roleName: data.role_name, permissions: { admin: permissions?.admin ?? false, maintain: permissions?.maintain ?? false, push: permissions?.push ?? false } };
      }),
    inTeam: async (organisation, team, login): Promise<ThreeValued> => {
      try {
        const { data } = await teams.rest.teams.getMembershipForUserInOrg({ org: organisation, team_slug: team, username: login });
        return data.state === "active" ? "yes" : "no";
      } catch (error) {
        if (statusOf(error) !== 404) return "unknown";
      }
      try {
        // 404 may mean "no member" or "no such team for this token": only a team that can be seen gives a no.
        await teams.rest.teams.getByName({ org: organisation, team_slug: team });
        return "no";
      } catch {
        return "unknown";
      }
    },
    self: async () => {
      try {
        return `${(await api.rest.users.getAuthenticated()).data.id}`;
      } catch (error) {
        if (statusOf(error) === 403 || statusOf(error) === 401) return null;
        throw unavailable("asking whom the token acts for", error);
      }
    },
  };

  async function publishCheck(check: CheckRun): Promise<void> {
    const listed = await api.rest.checks.listForRef({ ...here, ref: check.headSha, check_name: check.name, per_page: 100 });
    const annotations = check.annotations.map(annotationOf);
    const output = (from: number) => ({ title: check.title, summary: check.summary, annotations: annotations.slice(from, from + ANNOTATIONS_A_REQUEST) });
    const body = { ...here, name: check.name, external_id: check.externalId, status: "completed" as const, conclusion: check.conclusion };
    const before = listed.data.check_runs.find((run) => run.external_id === check.externalId);
    const id = before?.id ?? (await api.rest.checks.create({ ...body, head_sha: check.headSha, output: output(0) })).data.id;
    for (let from = before === undefined ? ANNOTATIONS_A_REQUEST : 0; from < Math.max(1, annotations.length); from += ANNOTATIONS_A_REQUEST) {
      if (before === undefined && from >= annotations.length) break;
      await api.rest.checks.update({ ...body, check_run_id: id, output: output(from) });
    }
  }
}

const annotationOf = ({ path, line, title, message }: CheckAnnotation) => ({ path, start_line: line, end_line: line, annotation_level: "failure" as const, title, message });

interface CommentData {
  readonly id: number;
  readonly body?: string | undefined;
  readonly html_url: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly user: { readonly id: number; readonly login: string; readonly type: string } | null;
}

const commentOf = (data: CommentData): Comment => ({
  id: data.id,
  body: data.body ?? "",
  author: { id: `${data.user?.id ?? 0}`, login: data.user?.login ?? "ghost", isUser: data.user?.type === "User" },
  createdAt: data.created_at,
  updatedAt: data.updated_at,
  url: data.html_url,
});

/** What GitHub said, without the request that holds the token. */
function unavailable(what: string, error: unknown): WapError {
  const said = error instanceof RequestError ? `${error.status}: ${error.message}` : error instanceof Error ? error.message : "no answer";
  const next = error instanceof RequestError && error.status === 403 ? "Give the token the permissions that the README lists, then run the job again." : undefined;
  return new WapError("github_unavailable", `${what} on GitHub failed (${said})`, next === undefined ? {} : { next });
}
