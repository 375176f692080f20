// action.yml and the workflows that ship: what they declare is what the code reads, and no more rights than a job needs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { filesLike, ROOT } from "./sources.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const metadata = z
  .object({
    inputs: z.record(z.string(), z.object({ description: z.string().min(10), default: z.string() })),
    outputs: z.record(z.string(), z.object({ description: z.string().min(10) })),
    runs: z.strictObject({ using: z.literal("node24"), main: z.literal("dist/index.js") }),
    branding: z.strictObject({ icon: z.string(), color: z.string() }),
  })
  .parse(parse(read("action.yml")));

const named = (pattern: RegExp): string[] =>
  [
    ...new Set(
      filesLike("src/action/*.ts").flatMap(({ text }) =>
        [...text.matchAll(pattern)].map((match) => match[1] ?? ""),
      ),
    ),
  ].toSorted();

test("the Action reads exactly the inputs that it declares", () => {
  expect(named(/(?:getInput|flag)\(\s*"([a-z-]+)"/g)).toEqual(Object.keys(metadata.inputs).toSorted());
});

test("the Action sets exactly the outputs that it declares", () => {
  expect(named(/setOutput\(\s*"([a-z-]+)"/g)).toEqual(Object.keys(metadata.outputs).toSorted());
});

const step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const workflowSchema = z.looseObject({
  permissions: z.strictObject({}),
  concurrency: z.object({ group: z.string(), "cancel-in-progress": z.boolean() }),
  jobs: z.record(
    z.string(),
    z.looseObject({
      permissions: z.record(z.string(), z.string()),
      "timeout-minutes": z.number(),
      environment: z.string().optional(),
      steps: z.array(step),
    }),
  ),
});
const workflow = (path: string): z.infer<typeof workflowSchema> => workflowSchema.parse(parse(read(path)));

const SHIPPED = ["workflows/wap-audit.yml", "workflows/wap-publish.yml"];
const ALL = [...SHIPPED, ".github/workflows/ci.yml"];

describe.each(ALL)("%s", (path) => {
  const { jobs } = workflow(path);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test("pins what it uses to a full commit; only the Action's own name stands for the reader's", () => {
    const uses = steps.flatMap((one) => (one.uses === undefined ? [] : [one.uses]));
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((name) => !/@[0-9a-f]{40}$/.test(name) && name !== "acme/wap@v1")).toEqual([]);
  });

  test("lets no text of an event or a repository into a shell", () => {
    expect(steps.filter((one) => one.run?.includes("${{"))).toEqual([]);
  });

  test("keeps no token in a checkout", () => {
    const checkouts = steps.filter((one) => one.uses?.startsWith("actions/checkout@"));
    expect(checkouts.filter((one) => one.with?.["persist-credentials"] !== false)).toEqual([]);
  });
});

describe("the two workflows that ship", () => {
  const audit = workflow("workflows/wap-audit.yml");
  const publish = workflow("workflows/wap-publish.yml");
  const secretsOf = (path: string): string[] =>
    [...read(path).matchAll(/secrets\.(\w+)/g)].map((match) => match[1] ?? "").toSorted();

  test("hold different credentials: the audit cannot publish, and publishing cannot build", () => {
    expect(secretsOf("workflows/wap-audit.yml")).toEqual(["WAP_BUILD_URL"]);
    expect(secretsOf("workflows/wap-publish.yml")).toEqual(["WAP_APPROVE_URL", "WAP_PUBLISH_URL"]);
  });

  test("publish behind an environment, from the database alone: nothing is checked out", () => {
    const jobs = Object.values(publish.jobs);
    expect(jobs.map((job) => job.environment)).toEqual(["wap-publish"]);
    expect(jobs.flatMap((job) => job.steps).filter((one) => one.uses?.includes("checkout"))).toEqual([]);
  });

  test("never cancel a publish, and never let one wait where a newer one would push it out", () => {
    expect(publish.concurrency["cancel-in-progress"]).toBe(false);
    expect(publish.concurrency.group).toContain("github.event.comment.id");
  });

  test("ask for the rights that the Action needs, and no more", () => {
    const needed = { contents: "read", "pull-requests": "write", checks: "write" };
    for (const job of [...Object.values(audit.jobs), ...Object.values(publish.jobs)])
      expect(job.permissions).toEqual(needed);
  });

  test("start on no event that could run a fork's code with secrets, nor on an edited comment", () => {
    const triggers = z.object({ on: z.record(z.string(), z.object({ types: z.array(z.string()) })) });
    expect(triggers.parse(parse(read("workflows/wap-audit.yml"))).on).toEqual({
      pull_request: { types: ["opened", "synchronize", "reopened", "ready_for_review"] },
    });
    expect(triggers.parse(parse(read("workflows/wap-publish.yml"))).on).toEqual({
      issue_comment: { types: ["created"] },
      pull_request: { types: ["closed"] },
    });
  });
});

test("what .ci/run runs by its parts is what `npm test` runs", () => {
  const { scripts } = z
    .object({ scripts: z.object({ test: z.string(), typecheck: z.string(), lint: z.string() }) })
    .parse(JSON.parse(read("package.json")));
  expect(scripts.test).toBe(
    "npm run typecheck && npm run lint && node scripts/check-generated.mjs && vitest run",
  );
  for (const part of [
    "npm run --silent typecheck",
    "npm run --silent lint",
    "node scripts/check-generated.mjs",
    "vitest\n",
  ])
    expect(read(".ci/run")).toContain(part);
});
