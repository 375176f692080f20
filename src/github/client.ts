// The questions of port.ts, asked over REST.
import { WapError } from "../domain/errors.ts";
import { publishCheck } from "./checks.ts";
import { connect, neededPermissions, statusOf, unavailable } from "./connection.ts";
import type { Comment, GitHub, PullRequest, Standing, ThreeValued } from "./port.ts";

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
/** GitHub lists at most this many files of a pull request. */
const FILE_CAP = 3000;
/** Just after an event its objects may not be found yet (github R20). */
const NOT_FOUND_TRIES = 3;
/** Commits made in the browser are committed by this account of GitHub's own. */
const WEB_COMMITTER = "web-flow";

export function githubClient(options: ClientOptions): GitHub {
  const [owner = "", repo = ""] = options.repository.split("/");
  const api = connect(options.token, options.apiUrl);
  const teams = options.teamToken === undefined ? api : connect(options.teamToken, options.apiUrl);
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
  const content = (path: string, ref: string) =>
    orNull(`reading ${path}`, () => api.rest.repos.getContent({ ...here, path, ref }));
  const tipOf = async (branch: string): Promise<string | null> => {
    const found = await orNull(`reading the branch ${branch}`, () =>
      api.rest.git.getRef({ ...here, ref: `heads/${branch}` }),
    );
    return found?.data.object.sha ?? null;
  };

  return {
    repository: options.repository,
    pullRequest: async (number): Promise<PullRequest> => {
      const found = await patiently(() =>
        orNull("reading the pull request", () => api.rest.pulls.get({ ...here, pull_number: number })),
      );
      if (found === null)
        throw new WapError(
          "github_unavailable",
          `pull request #${number} of ${options.repository} was not found`,
        );
      const { data } = found;
      const tip = await tipOf(data.base.ref);
      return {
        number,
        state: data.state === "open" ? "open" : "closed",
        merged: data.merged,
        mergedBy: data.merged_by?.login ?? null,
        mergeCommitSha: data.merge_commit_sha,
        headSha: data.head.sha,
        headRepository: data.head.repo?.full_name ?? null,
        baseRef: data.base.ref,
        // A branch that is gone, under a closed pull request, has no newer tip.
        baseSha: tip ?? data.base.sha,
        recordedBaseSha: data.base.sha,
        defaultBranch: data.base.repo.default_branch,
        repositoryId: `${data.base.repo.id}`,
        author: data.user.login,
      };
    },
    changedFiles: (number) =>
      asking("listing the pull request's files", async () => {
        const files = await api.paginate(api.rest.pulls.listFiles, {
          ...here,
          pull_number: number,
          per_page: 100,
        });
        if (files.length >= FILE_CAP)
          options.warn(
            `GitHub lists only the first ${FILE_CAP} files of the pull request; a contract behind them is not seen`,
          );
        return files.flatMap((file) =>
          file.previous_filename === undefined ? [file.filename] : [file.filename, file.previous_filename],
        );
      }),
    committers: (number) =>
      asking("listing the pull request's commits", async () => {
        const commits = await api.paginate(api.rest.pulls.listCommits, {
          ...here,
          pull_number: number,
          per_page: 100,
        });
        if (commits.length >= COMMIT_CAP) return null;
        const logins = new Set<string>();
        for (const person of commits.flatMap(({ author, committer }) => [author, committer])) {
          // Somebody whom GitHub does not know: who wrote or committed it cannot be told.
          if (!person || !("login" in person)) return null;
          if (person.login !== WEB_COMMITTER) logins.add(person.login);
        }
        return [...logins];
      }),
    fileAt: async (path, ref) => {
      const found = await content(path, ref);
      if (found === null || Array.isArray(found.data) || !("content" in found.data)) return null;
      if (found.data.encoding === "base64") return Buffer.from(found.data.content, "base64").toString("utf8");
      // Above 1 MB the answer holds no text. A file that is there must never look like one that is not.
      return asking(`reading ${path}`, async () => {
        const { data }: { data: unknown } = await api.rest.repos.getContent({
          ...here,
          path,
          ref,
          mediaType: { format: "raw" },
        });
        if (typeof data === "string") return data;
        if (data instanceof ArrayBuffer) return Buffer.from(data).toString("utf8");
        throw new WapError("github_unavailable", `${path} is too large for GitHub's contents API`);
      });
    },
    blobAt: async (path, ref) => {
      const found = await content(path, ref);
      return found === null || Array.isArray(found.data) ? null : found.data.sha;
    },
    comment: async (id) => {
      const found = await patiently(() =>
        orNull("reading the comment", () => api.rest.issues.getComment({ ...here, comment_id: id })),
      );
      return found === null ? null : commentOf(found.data);
    },
    comments: (issue) =>
      asking("listing comments", async () =>
        (
          await api.paginate(api.rest.issues.listComments, { ...here, issue_number: issue, per_page: 100 })
        ).map(commentOf),
      ),
    createComment: (issue, body) =>
      asking("writing a comment", async () =>
        commentOf((await api.rest.issues.createComment({ ...here, issue_number: issue, body })).data),
      ),
    updateComment: async (id, body) =>
      (await orNull("editing a comment", () =>
        api.rest.issues.updateComment({ ...here, comment_id: id, body }),
      )) !== null,
    deleteComment: async (id) => {
      await orNull("deleting a comment", () => api.rest.issues.deleteComment({ ...here, comment_id: id }));
    },
    react: async (commentId, reaction) => {
      try {
        await api.rest.reactions.createForIssueComment({ ...here, comment_id: commentId, content: reaction });
      } catch (error) {
        options.warn(`no reaction could be left (${statusOf(error) ?? "no answer"})`);
      }
    },
    publishCheck: async (check) => {
      try {
        await publishCheck(api, here, check);
      } catch (error) {
        if (statusOf(error) !== 403) throw unavailable("writing the check run", error);
        options.warn("the check run could not be written: the token needs `checks: write`");
      }
    },
    standing: async (login): Promise<Standing> => {
      try {
        const { data } = await api.rest.repos.getCollaboratorPermissionLevel({ ...here, username: login });
        const { admin = false, maintain = false, push = false } = data.user?.permissions ?? {};
        return { roleName: data.role_name, permissions: { admin, maintain, push } };
      } catch (error) {
        if (statusOf(error) === 404) return NO_STANDING;
        if (statusOf(error) === 403)
          throw new WapError(
            "authority_unknown",
            `the token may not ask for the permission of ${login}; it needs ${neededPermissions(error)}`,
          );
        throw unavailable("asking for a user's permission", error);
      }
    },
    inTeam: async (organisation, team, login): Promise<ThreeValued> => {
      const named = { org: organisation, team_slug: team };
      const hidden = (error: unknown): boolean => [401, 403, 404].includes(statusOf(error) ?? 0);
      try {
        const { data } = await teams.rest.teams.getMembershipForUserInOrg({ ...named, username: login });
        return data.state === "active" ? "yes" : "no";
      } catch (error) {
        if (!hidden(error)) throw unavailable("asking for a team's members", error);
        if (statusOf(error) !== 404) return "unknown";
      }
      try {
        // 404 may mean "no member" or "no such team for this token": only a team that can be seen gives a no.
        await teams.rest.teams.getByName(named);
        return "no";
      } catch (error) {
        if (!hidden(error)) throw unavailable("asking for a team", error);
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
}

const NO_STANDING: Standing = {
  roleName: "none",
  permissions: { admin: false, maintain: false, push: false },
};

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
  author: {
    id: `${data.user?.id ?? 0}`,
    login: data.user?.login ?? "ghost",
    isUser: data.user?.type === "User",
  },
  createdAt: data.created_at,
  updatedAt: data.updated_at,
  url: data.html_url,
});
