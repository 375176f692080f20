// The REST operations that the stand-in answers, by GitHub's operation ids, in GitHub's own shapes.
import { type Call, list, notFound, type Operation, ok } from "./operation.ts";
import { REPOSITORY_OPERATIONS } from "./repository-operations.ts";
import { checkBody, commentJson, pullJson, text, userJson } from "./shapes.ts";
import { example, type Json, type StandInComment, type StandInPull } from "./state.ts";

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
  ...REPOSITORY_OPERATIONS,
};
