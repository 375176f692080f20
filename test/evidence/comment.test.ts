// The evidence comment in every state: one golden file each, and what each must say. WAP_GOLDEN=write makes the files anew (named .txt, since a formatter would rewrite Markdown).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evidenceDigest } from "../../src/evidence/bundle.ts";
import { auditingComment, evidenceComment, markerOf } from "../../src/evidence/comment.ts";
import type { ContractView } from "../../src/evidence/contract-view.ts";
import * as examples from "./examples.ts";

const {
  viewOf,
  passed,
  failed,
  stopped,
  firstVersion,
  approved,
  published,
  unverified,
  rolledBack,
  previous,
  earlier,
  renamed,
  RUN,
} = examples;

const MARKER = markerOf("acme/nfl", 412);

const comment = (...views: ContractView[]): string => evidenceComment(views, [], MARKER);

const drift = {
  code: "target_drift",
  message: "index `plays_posteam_idx` was dropped between 06:12 and 07:02 UTC",
} as const;
const conditions = [
  { name: "head commit", verdict: "yes", sentence: "8d1f3a2, the audited one" },
  { name: "target", verdict: "no", sentence: "1 of 41 properties differs" },
  {
    name: "authority",
    verdict: "unknown",
    sentence: "cannot know whether lena may: the token may not read `@acme/nfl-data`",
  },
] as const;

const orders = renamed(failed, "sales.orders", "5a1d77c2-5b1d-4c6e-9f0a-1b2c3d4e5f60");
const teams = renamed(firstVersion, "ref.teams", "91d2b0aa-5b1d-4c6e-9f0a-1b2c3d4e5f60");

const GOLDEN: readonly (readonly [string, string])[] = [
  [
    "auditing",
    auditingComment(["nfl.plays", "sales.orders"], "8d1f3a2c0b4e5d6f708192a3b4c5d6e7f8091a2b", MARKER),
  ],
  ["building", comment(viewOf(examples.building))],
  ["passed", comment(viewOf(passed, { history: [passed, earlier, previous] }))],
  ["first-version", comment(viewOf(firstVersion))],
  ["failed", comment(viewOf(failed, { history: [failed, previous] }))],
  ["stopped", comment(viewOf(stopped))],
  ["approved", comment(viewOf(approved))],
  [
    "blocked",
    comment(
      viewOf(passed, {
        blocked: drift,
        checked: { at: "2026-11-26T07:02:00Z", conditions },
        history: [passed, previous],
      }),
    ),
  ],
  ["published", comment(viewOf(published, { history: [published, previous] }))],
  ["unverified", comment(viewOf(unverified))],
  ["rolled-back", comment(viewOf(rolledBack, { history: [rolledBack, previous] }))],
  [
    "several",
    evidenceComment(
      [viewOf(passed), viewOf(orders), viewOf(teams)],
      [
        {
          contractId: "hr.staff",
          path: "contracts/hr/staff.yml",
          refusal: {
            code: "contract_invalid",
            message: "contracts/hr/staff.yml:3:1: the clause `grain` is missing",
          },
        },
      ],
      MARKER,
    ),
  ],
];

test.each(GOLDEN)("the comment of a pull request that is %s is as agreed", (name, text) => {
  const path = join(import.meta.dirname, "golden", `${name}.md.txt`);
  if (process.env["WAP_GOLDEN"] === "write") writeFileSync(path, `${text}\n`);
  expect(`${text}\n`).toBe(readFileSync(path, "utf8"));
});

const text = (name: string): string => GOLDEN.find(([one]) => one === name)?.[1] ?? "";
const firstLines = (name: string, lines: number): string => text(name).split("\n").slice(0, lines).join("\n");

describe("what a person sees first", () => {
  test("verdict, consequence, command, in this order and before everything else", () => {
    expect(firstLines("passed", 7)).toMatch(
      /^### ✅ nfl\.plays: ready to publish\n\n> \[!TIP\]\n> All 11 audits pass\. Readers see nothing new .*:\n> ```\n> \/publish 3f0c2a9e-5b1d-4c6e-9f0a-1b2c3d4e5f60\n> ```$/,
    );
    expect(firstLines("failed", 5)).toMatch(
      /^### ❌ nfl\.plays: 3 of 11 audits failed, nothing was published\n\n> \[!CAUTION\]\n> Readers still see 3\.0\.4 /,
    );
    expect(firstLines("blocked", 1)).toBe(
      "### ⛔ nfl.plays: cannot be published, the target changed after the audit",
    );
    expect(firstLines("published", 1)).toBe("### 📦 nfl.plays: published 3.1.0, approved by `lena`");
    expect(firstLines("rolled-back", 1)).toBe("### ↩️ nfl.plays: back on 3.0.4 since 26 Nov 2026, 09:40 UTC");
    expect(firstLines("unverified", 1)).toMatch(/^### ⚠️ .* but 1 of 3 checks do not verify$/);
  });

  test("who may, who may not, and until when", () => {
    expect(text("passed")).toContain(
      "Who may: `acme/nfl-data`, `permission:maintain`, except `rosa` (author). Valid until 3 Dec 2026, 06:12 UTC, or the next push.",
    );
  });

  test("a run that failed or is blocked offers no command to publish", () => {
    for (const name of ["failed", "stopped", "blocked", "building"])
      expect(text(name)).not.toMatch(/\/publish [0-9a-f-]{36}/);
  });

  test("a first publish says so, and divides by nothing", () => {
    expect(text("first-version")).toContain("| rows | – | 48\u202f187 | first version |");
    expect(text("first-version")).not.toMatch(/NaN|Infinity|undefined/);
    expect(
      comment(
        viewOf({
          ...published,
          plan: firstVersion.plan,
          preflight: firstVersion.preflight,
          rollbackName: null,
        }),
      ),
    ).toContain("(first version)");
  });

  test("a run that passes by its status and not by its readings is not called one whose audits all pass", () => {
    const [first, ...rest] = passed.readings;
    if (first === undefined) throw new Error("no reading");
    expect(comment(viewOf({ ...passed, readings: [{ ...first, passed: false }, ...rest] }))).toContain(
      "10 of 11 audits pass",
    );
    expect(comment(viewOf({ ...passed, readings: rest }))).toContain("10 of 11 audits pass");
  });

  test("an approved run whose publish did not happen says that it is not published", () => {
    expect(firstLines("approved", 1)).toBe("### ✅ nfl.plays: approved, not published yet");
  });
});

describe("every state", () => {
  test.each(GOLDEN.filter(([name]) => name !== "auditing"))(
    "%s ends with run, commit, digest and the marker",
    (name, body) => {
      expect(body.endsWith(MARKER)).toBe(true);
      expect(body).toMatch(/<sub>run `[0-9a-f-]{36}` · commit \[`8d1f3a2`\]/);
      const run = {
        passed,
        "first-version": firstVersion,
        failed,
        stopped,
        blocked: passed,
        published,
        "rolled-back": rolledBack,
      }[name];
      if (run !== undefined) expect(body).toContain(`evidence sha256 \`${evidenceDigest(run)}\``);
    },
  );

  test.each(GOLDEN)("%s holds no undefined, no NaN and no empty table", (_, body) => {
    expect(body).not.toMatch(/undefined|NaN|Infinity|\[object/);
    expect(body).not.toMatch(/\| -{3}:? \|\n\n/);
    expect(body.match(/<details/g)?.length).toBe(body.match(/<\/details>/g)?.length);
  });

  test.each(GOLDEN)("%s has no alert inside a folded part, where GitHub prints none", (_, body) => {
    let depth = 0;
    for (const line of body.split("\n")) {
      depth += Number(line.startsWith("<details")) - Number(line === "</details>");
      if (line.startsWith("> [!")) expect(depth).toBe(0);
    }
  });
});

describe("several contracts", () => {
  test("come as a table first, the ones that were stopped first, each with its own command", () => {
    const lines = text("several").split("\n");
    expect(lines[0]).toBe("### ❌ 4 tables: 2 ready, 2 stopped");
    expect(lines[4]).toMatch(/^\| `hr\.staff` \| ⛔ `contract_invalid` /);
    expect(lines[5]).toMatch(/^\| `sales\.orders` \| ❌ `row_ledger`, `epa_range` and 1 more fail /);
    expect(text("several")).toContain(`\`/publish ${RUN}\``);
    expect(text("several")).toContain(`\`/publish ${teams.runId}\``);
    expect(text("several")).not.toContain(`/publish ${orders.runId}`);
  });

  test("all good is said as such", () => {
    expect(comment(viewOf(passed), viewOf(teams)).split("\n")[0]).toBe("### ✅ 2 tables: 2 ready");
    expect(comment(viewOf(published), viewOf(teams)).split("\n")[0]).toBe(
      "### ✅ 2 tables: 1 ready, 1 published",
    );
  });
});

test("addresses come from the GitHub that the run came from", () => {
  const { provenance } = passed;
  if (provenance.kind !== "github") throw new Error("the example comes from GitHub");
  const elsewhere = {
    ...failed,
    provenance: { ...provenance, workflowRun: "https://git.example.org/acme/nfl/actions/runs/1" },
  };
  expect(comment(viewOf(elsewhere))).toContain(
    "](https://git.example.org/acme/nfl/blob/8d1f3a2c0b4e5d6f708192a3b4c5d6e7f8091a2b/contracts/nfl/plays.yml#L",
  );
  const nowhere = { ...failed, provenance: { ...provenance, workflowRun: null } };
  expect(comment(viewOf(nowhere, { links: { report: null, workflowRun: null } }))).not.toContain("](http");
});
