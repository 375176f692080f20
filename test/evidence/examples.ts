// Example runs in every state, as the control tables would tell them.
import { bindingOf } from "../../src/domain/binding.ts";
import { canonicalContract } from "../../src/domain/contract.ts";
import type { Approval, Publication, RunRecord } from "../../src/domain/manifest.ts";
import type { ContractView } from "../../src/evidence/contract-view.ts";
import { contract, idOf, lineOf, readings, SHA } from "./example-contract.ts";
import { BEFORE, BUILT, PREVIOUS, passed, RUN, STAGE, step } from "./example-passed.ts";

export { contract, lineOf } from "./example-contract.ts";
export { BEFORE, passed, RUN } from "./example-passed.ts";

/** Three audits say no: one with example values, one with a hole in the ledger. */
export const failed: RunRecord = {
  ...passed,
  status: "failed",
  readings: readings({
    pass_equals_receive: {
      measured: { largest_difference: "-12", left: null, right: null },
      violations: "3",
      rowsTested: "9036",
    },
    epa_range: {
      measured: { min: "-13.021", max: "48.5" },
      violations: "7",
      sample: [
        { game_id: "2026_12_DET_GB", posteam: "DET" },
        { game_id: "2026_12_KC_LV", posteam: "" },
        { game_id: "2026_12_NYG_DAL", posteam: null },
      ],
    },
    row_ledger: {
      measured: {
        landed: "48512",
        staged: "48187",
        "excluded.deleted_play": "300",
        "excluded.timeout_row": "12",
      },
      rowsTested: "48512",
    },
  }),
  excluded: { deleted_play: "300", timeout_row: "12" },
  transitions: [
    ...BUILT,
    {
      ...step("built", "failed", "2026-11-26T06:12:40.000Z"),
      reason: "audit_failed",
      detail: "3 of 11 audits say no: row_ledger, epa_range, pass_equals_receive",
    },
  ],
};

/** The delivery could not be landed: there are no readings at all. */
export const stopped: RunRecord = {
  ...passed,
  status: "failed",
  auditedAt: null,
  stageRowCount: null,
  stageFingerprint: null,
  stageSchemaFingerprint: null,
  landing: null,
  readings: [],
  excluded: {},
  changes: null,
  transitions: [
    step(null, "building", "2026-11-26T06:10:02.000Z"),
    {
      ...step("building", "failed", "2026-11-26T06:10:09.000Z"),
      reason: "landing_failed",
      detail:
        "deliveries/play_by_play_2026.csv:1042, record 1041, column epa: the record has 9 cells, the header 8",
    },
  ],
};

/** Nothing was published before. */
export const firstVersion: RunRecord = {
  ...passed,
  baseRun: null,
  changes: null,
  preflight: {
    ...passed.preflight,
    target: {
      ...passed.preflight.target,
      exists: false,
      oid: null,
      kind: null,
      owner: null,
      rowCount: null,
      currentRun: null,
      properties: 7,
      dependents: [],
    },
  },
  plan: {
    ...passed.plan,
    firstVersion: true,
    reason: "analytics.nfl_plays does not exist yet: a view over the sealed stage becomes its first version.",
    rollbackName: null,
  },
};

const approval: Approval = {
  kind: "publish",
  by: "github:lena",
  ref: "https://github.com/acme/nfl/pull/412#issuecomment-2231",
  at: "2026-11-26T07:02:08.000Z",
  login: "wap_approve_login",
  bound: bindingOf(passed) ?? {},
  facts: {
    authority: "@acme/nfl-data: CODEOWNERS line 12, lena is a member of @acme/nfl-data",
    body_sha256: SHA("/publish"),
    evidence_digest: SHA("evidence"),
    comment_id: 2231,
  },
};

const publication: Publication = {
  kind: "publish",
  at: "2026-11-26T07:02:11.000Z",
  login: "wap_publish_login",
  backing: STAGE,
  previousBacking: PREVIOUS,
  previousRun: BEFORE,
  lockHeldMs: 40.21,
  tries: 1,
};

const APPROVED = step("audited", "approved", "2026-11-26T07:02:08.000Z", "wap_approve_login");

export const approved: RunRecord = {
  ...passed,
  status: "approved",
  approvals: [approval],
  transitions: [...passed.transitions, APPROVED],
};

export const published: RunRecord = {
  ...approved,
  status: "published",
  publishedAt: "2026-11-26T07:02:11.000Z",
  rollbackName: PREVIOUS,
  publications: [publication],
  verification: [
    { name: "version", passed: true, observed: `analytics.nfl_plays shows ${STAGE}` },
    { name: "rows as analyst", passed: true, observed: "48187 rows, 48187 audited" },
    { name: "content as analyst", passed: true, observed: "equal to what was audited" },
    { name: "owner, grants, options, comments", passed: true, observed: "equal to the publication's" },
  ],
  transitions: [
    ...approved.transitions,
    step("approved", "published", "2026-11-26T07:02:11.000Z", "wap_publish_login"),
  ],
  current: true,
};

/** Live, and a look as the consumer role says no. */
export const unverified: RunRecord = {
  ...published,
  verification: [
    ...published.verification.slice(0, 2),
    { name: "content as analyst", passed: false, observed: "not equal to what was audited" },
  ],
};

export const rolledBack: RunRecord = {
  ...published,
  status: "rolled_back",
  approvals: [
    approval,
    {
      ...approval,
      kind: "rollback",
      by: "github:omar",
      ref: "https://github.com/acme/nfl/pull/412#issuecomment-2240",
      at: "2026-11-26T09:40:02.000Z",
    },
  ],
  publications: [
    publication,
    {
      ...publication,
      kind: "rollback",
      at: "2026-11-26T09:40:11.000Z",
      backing: PREVIOUS,
      previousBacking: STAGE,
      previousRun: RUN,
      lockHeldMs: 12,
    },
  ],
  verification: [
    { name: "version", passed: true, observed: `analytics.nfl_plays shows ${PREVIOUS}` },
    { name: "content as analyst", passed: true, observed: "equal to what was audited" },
  ],
  transitions: [
    ...published.transitions,
    step("published", "rolled_back", "2026-11-26T09:40:11.000Z", "wap_publish_login"),
  ],
  current: false,
};

export const building: RunRecord = { ...stopped, status: "building", transitions: BUILT.slice(0, 1) };

const onCommit = (headSha: string): RunRecord["provenance"] =>
  passed.provenance.kind === "github" ? { ...passed.provenance, headSha } : passed.provenance;

/** The version that readers saw before, of the same pull request. */
export const previous: RunRecord = {
  ...published,
  runId: BEFORE,
  createdAt: "2026-11-19T06:10:02.000Z",
  contract: canonicalContract({ ...contract, version: "3.0.4" }),
  provenance: onCommit("5e0f1a2c0b4e5d6f708192a3b4c5d6e7f8091a2b"),
  stageRowCount: "47940",
  current: false,
};

/** An earlier commit of the same pull request that failed. */
export const earlier: RunRecord = {
  ...failed,
  runId: idOf("77aa0b19-5b1d-4c6e-9f0a-1b2c3d4e5f60"),
  createdAt: "2026-11-25T17:00:00.000Z",
  provenance: onCommit("77aa0b1c0b4e5d6f708192a3b4c5d6e7f8091a2b"),
};

/** The same run under another id and contract name. */
export function renamed(run: RunRecord, id: string, runId: string): RunRecord {
  const other = { ...contract, id, target: `analytics.${id.replaceAll(/[.-]/g, "_")}` };
  return {
    ...run,
    runId: idOf(runId),
    contract: canonicalContract(other),
    targetName: other.target,
    preflight: { ...run.preflight, target: { ...run.preflight.target, name: other.target } },
  };
}

export const viewOf = (run: RunRecord, rest: Partial<ContractView> = {}): ContractView => ({
  run,
  history: [run],
  blocked: null,
  whoMay: ["@acme/nfl-data", "permission:maintain"],
  author: "rosa",
  validUntil: "2026-12-03T06:12:40.000Z",
  lineOf,
  links: { report: null, workflowRun: "https://github.com/acme/nfl/actions/runs/98765" },
  ...rest,
});

/** Every state, by its name. */
export const RUNS = {
  passed,
  failed,
  stopped,
  firstVersion,
  approved,
  published,
  unverified,
  rolledBack,
  building,
} as const;
