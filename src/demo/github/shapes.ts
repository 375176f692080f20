// What the stand-in holds, in GitHub's own shapes: its examples, filled in.
import {
  example,
  type Json,
  type JsonObject,
  type StandInComment,
  type StandInPull,
  type StandInRepository,
  type StandInUser,
} from "./state.ts";

const WEB = "https://github.com";

export function userJson(user: StandInUser): JsonObject {
  const { owner } = example("comment") && { owner: example("comment")["user"] };
  const base = typeof owner === "object" && owner !== null && !Array.isArray(owner) ? owner : {};
  const filled: JsonObject = {};
  for (const [key, value] of Object.entries(base))
    filled[key] =
      typeof value === "string" ? value.replaceAll("octocat", encodeURIComponent(user.login)) : value;
  return { ...filled, login: user.login, id: user.id, type: user.type };
}

export function commentJson(repository: StandInRepository, comment: StandInComment): JsonObject {
  return {
    ...example("comment"),
    id: comment.id,
    body: comment.body,
    user: userJson(comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    issue_url: `https://api.github.com/repos/${repository.fullName}/issues/${comment.issue}`,
    html_url: `${WEB}/${repository.fullName}/pull/${comment.issue}#issuecomment-${comment.id}`,
    author_association: "NONE",
  };
}

export const object = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
export const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

export function pullJson(repository: StandInRepository, pull: StandInPull): JsonObject {
  const base = example("pull");
  const name = repository.fullName.split("/")[1] ?? "";
  const repo = {
    ...object(object(base["base"])["repo"]),
    id: repository.id,
    name,
    full_name: repository.fullName,
    default_branch: "main",
  };
  const headRepo = {
    ...object(object(base["head"])["repo"]),
    full_name: pull.headRepository,
    fork: pull.headRepository !== repository.fullName,
  };
  return {
    ...base,
    number: pull.number,
    title: pull.title,
    state: pull.state,
    locked: false,
    user: userJson(pull.author),
    html_url: `${WEB}/${repository.fullName}/pull/${pull.number}`,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    labels: [],
    draft: false,
    merged: pull.merged !== null,
    merged_at: pull.merged === null ? null : "2026-11-26T07:00:00Z",
    closed_at: pull.state === "closed" ? "2026-11-26T07:00:00Z" : null,
    merged_by: pull.merged === null ? null : userJson(pull.merged.by),
    merge_commit_sha: pull.merged?.sha ?? null,
    head: { ...object(base["head"]), sha: pull.headSha, repo: headRepo },
    base: { ...object(base["base"]), sha: pull.baseSha, ref: pull.baseRef, repo },
  };
}

export function checkBody(data: JsonObject, body: JsonObject, annotations: Json[]): JsonObject {
  const { output, actions: _, ...rest } = body;
  const given = object(output);
  if (Array.isArray(given["annotations"])) annotations.push(...given["annotations"]);
  const conclusion = rest["conclusion"] ?? null;
  return {
    ...data,
    ...rest,
    status: conclusion === null ? (rest["status"] ?? data["status"] ?? "queued") : "completed",
    conclusion,
    completed_at: conclusion === null ? null : "2026-11-26T06:12:00Z",
    output: {
      ...object(data["output"]),
      title: text(given["title"]),
      summary: text(given["summary"]),
      text: null,
      annotations_count: annotations.length,
    },
  };
}
