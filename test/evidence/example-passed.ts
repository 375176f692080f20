import { canonicalContract, contractHash, targetOf } from "../../src/domain/contract.ts";
import { displayName, runNames } from "../../src/domain/identifier.ts";
import type { RunRecord, Transition } from "../../src/domain/manifest.ts";
import { contract, idOf, PATH, readings, SHA } from "./example-contract.ts";

export const RUN = idOf("3f0c2a9e-5b1d-4c6e-9f0a-1b2c3d4e5f60");
export const BEFORE = idOf("11d2a6c0-0d52-4c1e-8a51-6f1d5f0a9c11");

const HEAD = "8d1f3a2c0b4e5d6f708192a3b4c5d6e7f8091a2b";

const LOGIN = "wap_build_login";
export const step = (
  from: Transition["from"],
  to: Transition["to"],
  at: string,
  login = LOGIN,
): Transition => ({
  from,
  to,
  at,
  login,
  reason: null,
  detail: null,
});
export const BUILT: readonly Transition[] = [
  step(null, "building", "2026-11-26T06:10:02.000Z"),
  step("building", "built", "2026-11-26T06:11:50.000Z"),
];

const names = runNames(targetOf(contract), RUN);
export const STAGE = displayName(names.stage);
export const PREVIOUS = displayName(runNames(targetOf(contract), BEFORE).stage);

/** Audited, every gating audit passes, one advisory reading says no. */
export const passed: RunRecord = {
  runId: RUN,
  status: "audited",
  createdAt: "2026-11-26T06:10:02.000Z",
  auditedAt: "2026-11-26T06:12:40.000Z",
  publishedAt: null,
  targetName: "analytics.nfl_plays",
  stageName: STAGE,
  sourceRef: "deliveries/play_by_play_2026.csv",
  sourceFingerprint: SHA("source"),
  contractHash: contractHash(contract),
  transformHash: SHA("transform"),
  preflightFingerprint: SHA("preflight"),
  controlFingerprint: SHA("control"),
  stageRowCount: "48187",
  stageFingerprint: SHA("stage content"),
  stageSchemaFingerprint: SHA("stage schema"),
  rollbackName: null,
  contract: canonicalContract(contract),
  contractPath: PATH,
  provenance: {
    kind: "github",
    repository: "acme/nfl",
    repositoryId: "4711",
    pullRequest: 412,
    headSha: HEAD,
    baseRef: "main",
    baseSha: "51c0aa0f1e2d3c4b5a69788796a5b4c3d2e1f001",
    initiator: { id: "1001", login: "rosa" },
    workflowRun: "https://github.com/acme/nfl/actions/runs/98765",
    blobs: { [PATH]: "2f1d6bb5e2f0f2f0c7f5b9c1d2e3f4a5b6c7d8e9" },
  },
  preflight: {
    database: {
      name: "warehouse",
      systemIdentifier: "7301112223334445556",
      address: "db.example.org:5432",
      engine: "postgres",
      version: "17.10",
      versionNumber: 170010,
      login: LOGIN,
      tls: true,
    },
    source: { ref: "deliveries/play_by_play_2026.csv", bytes: "157286400" },
    target: {
      name: "analytics.nfl_plays",
      exists: true,
      oid: "16421",
      kind: "view",
      owner: "wap_target",
      rowCount: "47940",
      currentRun: BEFORE,
      properties: 41,
      dependents: ["view reports.weekly_epa"],
    },
  },
  plan: {
    strategy: "view",
    reason:
      "analytics.nfl_plays is a view that wap made over its last version, with the contract's columns: showing another sealed version keeps its identity, owner, grants and dependents.",
    firstVersion: false,
    steps: [
      "SHARE lock on the stage; its identity, schema, row count and content are recomputed and compared",
      "assert_gate(run, true)",
      "CREATE OR REPLACE VIEW analytics.nfl_plays, in tries of 100 ms",
      "the run becomes published; COMMIT",
    ],
    locks: ["advisory lock on the target's name", "ACCESS EXCLUSIVE on the view for milliseconds"],
    rollbackName: PREVIOUS,
    retention: { versions: 2, age: "30d", observeFor: "1d" },
    lockTimeoutMs: 2_000,
    statementTimeoutMs: 600_000,
    consumerRole: "analyst",
  },
  builtBy: LOGIN,
  baseRun: BEFORE,
  landing: {
    rawName: displayName(names.raw),
    rejectsName: displayName(names.rejects),
    bytes: "157286400",
    sha256: SHA("source"),
    plainBytes: "157286400",
    parsed: "48512",
    landed: "48512",
    rejected: "0",
    header: [
      "game_id",
      "play_id",
      "game_date",
      "posteam",
      "play_type",
      "passing_yards",
      "receiving_yards",
      "epa",
    ],
    parser: { delimiter: ",", quote: '"', encoding: "utf-8" },
    rejectReasons: {},
  },
  readings: readings(),
  expected: readings()
    .filter((one) => one.level === "gate")
    .map((one) => one.name)
    .toSorted(),
  excluded: { deleted_play: "313", timeout_row: "12" },
  approvals: [],
  publications: [],
  verification: [],
  transitions: [...BUILT, step("built", "audited", "2026-11-26T06:12:40.000Z")],
  current: false,
  changes: {
    key: ["game_id", "play_id"],
    added: "247",
    removed: "0",
    changed: "31",
    unchanged: "47909",
    columns: { epa: "31", passing_yards: "2" },
  },
};
