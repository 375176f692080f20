// The REST operations that the stand-in answers, by GitHub's operation ids, in GitHub's own shapes.
import { gitBlobId } from "../../domain/fingerprint.ts";
import { checkBody, commentJson, object, pullJson, text, userJson } from "./shapes.ts";
import {
  example,
  type Json,
  type JsonObject,
  type StandInComment,
  type StandInPull,
  type StandInRepository,
  type StandInState,
  type StandInToken,
} from "./state.ts";

export interface Call {
  readonly state: StandInState;
  readonly repository: StandInRepository | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly token: StandInToken;
}

/** Status and body; a list is cut into pages by the server. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly list?: readonly Json[];
  /** The bytes themselves, for whoever asks for GitHub's raw media type. */
  readonly raw?: Uint8Array;
}

export interface Operation {
  readonly method: string;
  /** Template with `{name}`; `{path}` and `{ref}` may hold slashes. */
  readonly path: string;
  /** What the token needs, as `permission` and level; any of several. */
  readonly needs: readonly (readonly [permission: string, level: "read" | "write"])[];
  readonly answer: (call: Call) => Answer;
}

const ok = (body: Json, status = 200, raw?: Uint8Array): Answer =>
  raw === undefined ? { status, body } : { status, body, raw };
const list = (items: readonly Json[]): Answer => ({ status: 200, body: null, list: items });
export const notFound: Answer = {
  status: 404,
  body: { message: "Not Found", documentation_url: "https://docs.github.com/rest", status: "404" },
};

const pullOf = ({ repository, parameters }: Call): StandInPull | undefined =>
  repository?.pulls.get(Number(parameters["pull_number"]));
const commentOf = ({ repository, parameters }: Call): StandInComment | undefined =>
  repository?.comments.find((comment) => comment.id === Number(parameters["comment_id"]));
const issueWrite = [
  ["pull_requests", "write"],
  ["issues", "write"],
] as const;
const issueRead = [
  ["pull_requests", "read"],
  ["issues", "read"],
] as const;

const RANK: Readonly<Record<string, number>> = {
  admin: 4,
  maintain: 3,
  write: 2,
  triage: 1,
  read: 0,
  none: -1,
};

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "users/get-authenticated": {
    method: "GET",
    path: "/user",
    needs: [["user", "read"]],
    answer: ({ state, token }) => {
      const user = state.user(token.login);
      return ok({ ...example("user"), login: user.login, id: user.id, type: user.type });
    },
  },
  "pulls/get": {
    method: "GET",
    path: "/repos/{owner}/{repo}/pulls/{pull_number}",
    needs: [["pull_requests", "read"]],
    answer: (call) =>
      call.repository === null || pullOf(call) === undefined
        ? notFound
        : ok(pullJson(call.repository, pullOf(call) as StandInPull)),
  },
  "pulls/list-files": {
    method: "GET",
    path: "/repos/{owner}/{repo}/pulls/{pull_number}/files",
    needs: [["pull_requests", "read"]],
    answer: (call) => {
      const pull = pullOf(call);
      return pull === undefined
        ? notFound
        : list(pull.files.map((filename) => ({ ...example("file"), filename, status: "modified" })));
    },
  },
  "pulls/list-commits": {
    method: "GET",
    path: "/repos/{owner}/{repo}/pulls/{pull_number}/commits",
    needs: [["pull_requests", "read"]],
    answer: (call) => {
      const pull = pullOf(call);
      const who = (login: string | null): Json => (login === null ? null : userJson(call.state.user(login)));
      return pull === undefined
        ? notFound
        : list(
            pull.commits.map((one) => ({
              ...example("commit"),
              sha: one.sha,
              author: who(one.author),
              committer: who(one.committer),
            })),
          );
    },
  },
  "issues/list-comments": {
    method: "GET",
    path: "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    needs: issueRead,
    answer: ({ repository, parameters }) =>
      repository === null
        ? notFound
        : list(
            repository.comments
              .filter((comment) => comment.issue === Number(parameters["issue_number"]))
              .map((comment) => commentJson(repository, comment)),
          ),
  },
  "issues/create-comment": {
    method: "POST",
    path: "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    needs: issueWrite,
    answer: ({ state, repository, parameters, body, token }) => {
      if (repository === null || !repository.pulls.has(Number(parameters["issue_number"]))) return notFound;
      if (text(body["body"]).length > 65_536)
        return {
          status: 422,
          body: {
            message: "Validation Failed: body is too long (maximum is 65536 characters)",
            documentation_url: "https://docs.github.com/rest",
            errors: [],
          },
        };
      return ok(
        commentJson(
          repository,
          state.addComment(repository, Number(parameters["issue_number"]), token.login, text(body["body"])),
        ),
        201,
      );
    },
  },
  "issues/get-comment": {
    method: "GET",
    path: "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    needs: issueRead,
    answer: (call) => {
      const comment = commentOf(call);
      return call.repository === null || comment === undefined
        ? notFound
        : ok(commentJson(call.repository, comment));
    },
  },
  "issues/update-comment": {
    method: "PATCH",
    path: "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    needs: issueWrite,
    answer: (call) => {
      const comment = commentOf(call);
      if (call.repository === null || comment === undefined) return notFound;
      comment.body = text(call.body["body"]);
      comment.updatedAt = call.state.now();
      return ok(commentJson(call.repository, comment));
    },
  },
  "issues/delete-comment": {
    method: "DELETE",
    path: "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    needs: issueWrite,
    answer: (call) => {
      const comment = commentOf(call);
      if (call.repository === null || comment === undefined) return notFound;
      call.repository.comments.splice(call.repository.comments.indexOf(comment), 1);
      return ok(null, 204);
    },
  },
  "git/get-ref": {
    method: "GET",
    path: "/repos/{owner}/{repo}/git/ref/{ref}",
    needs: [["contents", "read"]],
    answer: ({ repository, parameters }) => {
      const name = parameters["ref"] ?? "";
      const sha = name.startsWith("heads/")
        ? repository?.branches.get(name.slice("heads/".length))
        : undefined;
      if (repository === null || sha === undefined) return notFound;
      const api = `https://api.github.com/repos/${repository.fullName}/git`;
      return ok({
        ref: `refs/${name}`,
        node_id: `ref-${sha}`,
        url: `${api}/refs/${name}`,
        object: { type: "commit", sha, url: `${api}/commits/${sha}` },
      });
    },
  },
  "reactions/create-for-issue-comment": {
    method: "POST",
    path: "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions",
    needs: issueWrite,
    answer: (call) => {
      const comment = commentOf(call);
      if (comment === undefined) return notFound;
      const content = text(call.body["content"]);
      const before = comment.reactions.some((one) => one.content === content && one.by === call.token.login);
      if (!before) comment.reactions.push({ content, by: call.token.login });
      return ok(
        {
          ...example("reaction"),
          id: call.state.nextId(),
          content,
          user: userJson(call.state.user(call.token.login)),
        },
        before ? 200 : 201,
      );
    },
  },
  "checks/create": {
    method: "POST",
    path: "/repos/{owner}/{repo}/check-runs",
    needs: [["checks", "write"]],
    answer: ({ state, repository, body }) => {
      if (repository === null) return notFound;
      const id = state.nextId();
      const annotations: Json[] = [];
      const data = checkBody({ ...example("check"), id, pull_requests: [] }, body, annotations);
      repository.checks.push({ id, data, annotations });
      return ok(data, 201);
    },
  },
  "checks/update": {
    method: "PATCH",
    path: "/repos/{owner}/{repo}/check-runs/{check_run_id}",
    needs: [["checks", "write"]],
    answer: ({ repository, parameters, body }) => {
      const check = repository?.checks.find((one) => one.id === Number(parameters["check_run_id"]));
      if (check === undefined) return notFound;
      Object.assign(check.data, checkBody(check.data, body, check.annotations));
      return ok(check.data);
    },
  },
  "checks/list-for-ref": {
    method: "GET",
    path: "/repos/{owner}/{repo}/commits/{ref}/check-runs",
    needs: [["checks", "read"]],
    answer: ({ repository, parameters, query }) => {
      const found = (repository?.checks ?? []).filter(
        (one) =>
          one.data["head_sha"] === parameters["ref"] &&
          (query["check_name"] === undefined || one.data["name"] === query["check_name"]),
      );
      return ok({ total_count: found.length, check_runs: found.map((one) => one.data) });
    },
  },
  "repos/get-collaborator-permission-level": {
    method: "GET",
    path: "/repos/{owner}/{repo}/collaborators/{username}/permission",
    needs: [["metadata", "read"]],
    answer: ({ state, repository, parameters }) => {
      const login = parameters["username"] ?? "";
      const role = repository?.collaborators[login] ?? "none";
      const rank = RANK[role] ?? -1;
      const permissions = {
        pull: rank >= 0,
        triage: rank >= 1,
        push: rank >= 2,
        maintain: rank >= 3,
        admin: rank >= 4,
      };
      const legacy = role === "maintain" ? "write" : role === "triage" ? "read" : role;
      const shown = object(example("permission")["user"]);
      return ok({
        permission: legacy,
        role_name: role,
        user: { ...shown, ...userJson(state.user(login)), permissions, role_name: role },
      });
    },
  },
  "teams/get-by-name": {
    method: "GET",
    path: "/orgs/{org}/teams/{team_slug}",
    needs: [["members", "read"]],
    answer: ({ state, parameters }) => {
      const slug = parameters["team_slug"] ?? "";
      // GitHub's own example lacks what its description asks for.
      const organization = { ...object(example("team")["organization"]), archived_at: null };
      return state.teams.has(`${parameters["org"]}/${slug}`.toLowerCase())
        ? ok({ ...example("team"), slug, name: slug, type: "organization", organization })
        : notFound;
    },
  },
  "teams/get-membership-for-user-in-org": {
    method: "GET",
    path: "/orgs/{org}/teams/{team_slug}/memberships/{username}",
    needs: [["members", "read"]],
    answer: ({ state, parameters }) => {
      const membership = state.teams.get(`${parameters["org"]}/${parameters["team_slug"]}`.toLowerCase())?.[
        parameters["username"] ?? ""
      ];
      return membership === undefined
        ? notFound
        : ok({ ...example("membership"), role: "member", state: membership });
    },
  },
  "repos/get-content": {
    method: "GET",
    path: "/repos/{owner}/{repo}/contents/{path}",
    needs: [["contents", "read"]],
    answer: ({ repository, parameters, query }) => {
      const ref = query["ref"] ?? "main";
      const tree = repository?.trees.get(ref) ?? repository?.trees.get(repository.branches.get(ref) ?? "");
      const bytes = tree?.get(parameters["path"] ?? "");
      if (bytes === undefined) return notFound;
      const whole = bytes.byteLength <= 1024 * 1024;
      const path = parameters["path"] ?? "";
      return ok(
        {
          ...example("content"),
          path,
          name: path.split("/").at(-1) ?? "",
          size: bytes.byteLength,
          sha: gitBlobId(bytes),
          encoding: whole ? "base64" : "none",
          content: whole ? Buffer.from(bytes).toString("base64") : "",
        },
        200,
        bytes,
      );
    },
  },
};
