// Cuts GitHub's OpenAPI description down to the operations that are used, without prose; writes the test fixture.
// usage: node scripts/prune-openapi.mjs <api.github.com.json of @octokit/openapi> test/fixtures/github/openapi.json
import { readFileSync, writeFileSync } from "node:fs";

const OPERATIONS = `
  checks/create checks/list-for-ref checks/update
  git/get-ref
  issues/create-comment issues/delete-comment issues/get-comment issues/list-comments issues/update-comment
  pulls/get pulls/list-commits pulls/list-files
  reactions/create-for-issue-comment
  repos/get-collaborator-permission-level repos/get-content
  teams/get-by-name teams/get-membership-for-user-in-org
  users/get-authenticated`
  .trim()
  .split(/\s+/);

const [source, target] = process.argv.slice(2);
const whole = JSON.parse(readFileSync(source, "utf8"));
const wanted = new Set(OPERATIONS);
const cut = {
  openapi: whole.openapi,
  info: { title: whole.info.title, version: whole.info.version, license: whole.info.license },
  paths: {},
  components: {},
};

/** Descriptions and examples of schemas say nothing to a validator. */
const PROSE = new Set(["description", "externalDocs", "x-github", "x-multi-segment", "summary", "tags"]);
const withoutProse = (value, insideProperties) => {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item, false));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => insideProperties || !PROSE.has(key))
      .map(([key, item]) => [key, withoutProse(item, key === "properties")]),
  );
};

for (const [path, item] of Object.entries(whole.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    if (!wanted.delete(operation?.operationId)) continue;
    cut.paths[path] ??= {};
    cut.paths[path][method] = withoutProse(operation, false);
  }
}
if (wanted.size > 0) throw new Error(`not in the description: ${[...wanted].join(", ")}`);

const follow = (value) => {
  if (Array.isArray(value)) value.forEach(follow);
  else if (value !== null && typeof value === "object") {
    if (typeof value.$ref === "string") {
      const [, , kind, name] = value.$ref.split("/");
      cut.components[kind] ??= {};
      if (cut.components[kind][name] === undefined) {
        cut.components[kind][name] =
          kind === "examples"
            ? whole.components[kind][name]
            : withoutProse(whole.components[kind][name], false);
        follow(cut.components[kind][name]);
      }
    }
    Object.values(value).forEach(follow);
  }
};
follow(cut.paths);
writeFileSync(target, `${JSON.stringify(cut)}\n`);
