// The evidence document and its digest: what an approver decides on, whatever happens later (safety E5, github R28).
import { describe, expect, test } from "vitest";
import { evidenceSchema } from "../../src/domain/evidence.ts";
import type { RunRecord } from "../../src/domain/manifest.ts";
import { evidenceDigest, evidenceOf } from "../../src/evidence/bundle.ts";
import * as examples from "./examples.ts";

const { passed, approved, published, unverified, rolledBack } = examples;

const all: readonly (readonly [string, RunRecord])[] = Object.entries(examples.RUNS);

test.each(all)("the evidence of a run that is %s is as its schema says", (_, run) => {
  expect(evidenceSchema.parse(evidenceOf(run))).toEqual(evidenceOf(run));
  expect(JSON.parse(JSON.stringify(evidenceOf(run)))).toEqual(evidenceOf(run));
});

test("what happened to a run is in its evidence", () => {
  expect(evidenceOf(examples.failed)).toMatchObject({
    status: "failed",
    reason_code: "audit_failed",
    approval: null,
    published: null,
  });
  expect(evidenceOf(published)).toMatchObject({
    approval: { by: "github:lena", ref: "https://github.com/acme/nfl/pull/412#issuecomment-2231" },
    published: { at: "2026-11-26T07:02:11.000Z", version: "3.1.0", lock_held_ms: 40.21 },
    rollback: null,
  });
  expect(evidenceOf(rolledBack)).toMatchObject({ status: "rolled_back", rollback: { by: "github:omar" } });
  expect(evidenceOf(examples.stopped).source).toMatchObject({
    bytes: "157286400",
    records: null,
    rejects: null,
  });
});

/** The same record with the keys of every object the other way round. */
function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  ) as T;
}

describe("the digest", () => {
  const digest = evidenceDigest(passed);

  test("is the same after approval, publication, verification and rollback", () => {
    for (const run of [approved, published, unverified, rolledBack]) expect(evidenceDigest(run)).toBe(digest);
  });

  test("is the same a hundred times, in whatever order the keys come", () => {
    const digests = new Set(
      Array.from({ length: 100 }, (_, n) => evidenceDigest(n % 2 === 0 ? passed : reversed(passed))),
    );
    expect([...digests]).toEqual([digest]);
  });

  test("is free of how long an audit took, and of when the run was made", () => {
    const slower = passed.readings.map((one) => ({
      ...one,
      observed: { ...one.observed, ms: one.observed.ms * 7 + 0.25 },
    }));
    expect(
      evidenceDigest({ ...passed, readings: slower, createdAt: "2027-01-01T00:00:00.000Z", auditedAt: null }),
    ).toBe(digest);
  });

  const [reading, ...others] = passed.readings;
  if (reading === undefined || passed.changes === null)
    throw new Error("the example has readings and changes");
  const { changes } = passed;
  const decisive: readonly (readonly [string, Partial<RunRecord>])[] = [
    ["another run", { runId: examples.BEFORE }],
    ["one row more", { stageRowCount: "48188" }],
    ["other content", { stageFingerprint: "0".repeat(64) }],
    ["another stage schema", { stageSchemaFingerprint: "0".repeat(64) }],
    ["another source", { sourceFingerprint: "0".repeat(64) }],
    ["another contract", { contractHash: "0".repeat(64) }],
    ["another transform", { transformHash: "0".repeat(64) }],
    ["another target state", { preflightFingerprint: "0".repeat(64) }],
    ["an audit that says no", { readings: [{ ...reading, passed: false }, ...others] }],
    ["an audit less", { readings: others }],
    [
      "another reading",
      { readings: [{ ...reading, observed: { ...reading.observed, violations: "1" } }, ...others] },
    ],
    ["another change", { changes: { ...changes, changed: "32" } }],
    ["another plan", { plan: { ...passed.plan, steps: ["DROP TABLE x"] } }],
    ["another commit", { provenance: examples.earlier.provenance }],
  ];
  test.each(decisive)("is another for %s", (_, change) =>
    expect(evidenceDigest({ ...passed, ...change })).not.toBe(digest),
  );
});
