// Operations about people, teams, files and branches.
import { gitBlobId } from "../../domain/fingerprint.ts";
import { notFound, type Operation, ok } from "./operation.ts";
import { object, userJson } from "./shapes.ts";
import { example } from "./state.ts";

const RANK: Readonly<Record<string, number>> = {
  admin: 4,
  maintain: 3,
  write: 2,
  triage: 1,
  read: 0,
  none: -1,
};

export const REPOSITORY_OPERATIONS: Readonly<Record<string, Operation>> = {
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
