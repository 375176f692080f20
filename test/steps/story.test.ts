// The whole story on real flights: landed, built, audited, approved, published, verified, rolled back; and a broken delivery stopped.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  auditRequest,
  loadContract,
  type Surroundings,
  validContract,
  withApprover,
  withAuditDuties,
  withPublisher,
} from "../../src/compose.ts";
import type { RunRecord } from "../../src/domain/manifest.ts";
import { newRunId, type RunId } from "../../src/domain/run.ts";
import type { Log } from "../../src/ports.ts";
import { type AuditResult, approve, auditDelivery, publishRun, rollBackRun } from "../../src/steps/index.ts";
import { type WapDatabase, wapDatabase } from "../harness/wap-database.ts";

const CONTRACT = "contracts/flights/flights.yml";
const WEEK_ONE = "contracts/flights/deliveries/2013-01-07.csv.gz";
const silent: Log = {
  started: () => undefined,
  progress: () => undefined,
  finished: () => undefined,
  note: () => undefined,
};

let wap: WapDatabase;
let root: string;
let surroundings: Surroundings;

beforeAll(async () => {
  wap = await wapDatabase("analytics");
  const airlines = readFileSync("contracts/flights/airlines.csv", "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
  await wap.admin(
    "CREATE SCHEMA ref; CREATE TABLE ref.airlines (carrier text PRIMARY KEY, name text); GRANT USAGE ON SCHEMA ref TO wap_builder, wap_auditor; GRANT SELECT ON ref.airlines TO wap_builder, wap_auditor",
  );
  for (const [carrier, ...name] of airlines)
    await wap.admin("INSERT INTO ref.airlines VALUES ($1, $2)", [carrier, name.join(",")]);
  root = mkdtempSync(join(tmpdir(), "wap-story-"));
  cpSync("contracts/flights", join(root, "contracts/flights"), { recursive: true });
  edit((text) => text.replace("consumer_role: analyst", `consumer_role: ${wap.logins.consumer}`));
  surroundings = {
    environment: {
      WAP_BUILD_URL: wap.url(wap.logins.builder),
      WAP_APPROVE_URL: wap.url(wap.logins.approver),
      WAP_PUBLISH_URL: wap.url(wap.logins.publisher),
    },
    root,
    now: () => new Date(),
    log: silent,
  };
});
afterAll(async () => {
  rmSync(root, { recursive: true, force: true });
  await wap.end();
});

function edit(change: (text: string) => string): void {
  const path = join(root, CONTRACT);
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

async function audit(): Promise<{ result: AuditResult; record: RunRecord | null }> {
  const loaded = await loadContract(surroundings, CONTRACT);
  const request = await auditRequest(
    surroundings,
    loaded,
    newRunId(),
    { kind: "cli", initiator: "test", revision: null },
    null,
  );
  return withAuditDuties(surroundings, validContract(loaded), null, async (duties) => {
    const result = await auditDelivery(request, duties);
    return { result, record: result.runId === null ? null : await duties.reader.run(result.runId) };
  });
}

const approved = (runId: RunId, kind: "publish" | "rollback") =>
  withApprover(surroundings, "WAP_APPROVE_URL", (duties) =>
    approve(runId, { kind, by: "github:lena", ref: "https://example.test/1", facts: {} }, duties),
  );
const published = (runId: RunId) =>
  withPublisher(surroundings, "WAP_PUBLISH_URL", (duties) => publishRun(runId, duties));
const rolledBack = (runId: RunId) =>
  withPublisher(surroundings, "WAP_PUBLISH_URL", (duties) => rollBackRun(runId, duties));
const rowsSeen = async (): Promise<unknown> =>
  (
    await wap.as(
      wap.logins.publisher,
      `SET ROLE ${wap.logins.consumer}; SELECT count(*)::int AS n FROM analytics.flights`,
    )
  )[0]?.["n"];

test("a delivery becomes a published version, a second one replaces it, and a rollback brings the first one back", async () => {
  const first = await audit();
  expect(
    first.record?.readings.filter((one) => !one.passed).map((one) => [one.name, one.observed.finding]),
  ).toEqual([]);
  expect(first.result.ok, JSON.stringify(first.result)).toBe(true);
  expect(first.record?.status).toBe("audited");
  expect(first.record?.landing).toMatchObject({ parsed: "6099", landed: "6099", rejected: "0" });
  const runId = first.record?.runId;
  if (runId === undefined) throw new Error("no run");

  expect(await published(runId)).toMatchObject({ ok: false, refusal: { code: "not_approved" } });
  expect(await approved(runId, "publish")).toMatchObject({ ok: true });
  expect(await published(runId)).toMatchObject({ ok: true });
  const weekOne = await rowsSeen();
  expect(weekOne).toBe(Number(first.record?.stageRowCount));
  expect(await published(runId), "asking twice is harmless").toMatchObject({ ok: true });

  edit((text) => text.replace("2013-01-07", "2013-01-14"));
  const second = await audit();
  expect(second.record?.changes).toMatchObject({ removed: "0", changed: "0" });
  const secondId = second.record?.runId;
  if (secondId === undefined) throw new Error("no run");
  await approved(secondId, "publish");
  expect(await published(secondId)).toMatchObject({ ok: true });
  expect(await rowsSeen()).toBe(Number(second.record?.stageRowCount));

  await approved(secondId, "rollback");
  expect(await rolledBack(secondId)).toMatchObject({ ok: true });
  expect(await rowsSeen()).toBe(weekOne);
});

test("a delivery with a cell that is no number fails its build, and the evidence says which column", async () => {
  const text = gunzipSync(readFileSync(WEEK_ONE)).toString("utf8");
  writeFileSync(
    join(root, "contracts/flights/deliveries/2013-01-07.csv.gz"),
    gzipSync(text.replace("2013,1,1,517,515,2,830", "2013,1,1,517,515,two,830")),
  );
  edit((contract) => contract.replace("2013-01-14.csv", "2013-01-07.csv"));
  const { result, record } = await audit();
  expect(result).toMatchObject({ ok: false, refusal: { code: "build_failed" } });
  expect(record?.status).toBe("failed");
  expect(record?.readings.find((one) => one.name === "cells_parse")).toMatchObject({
    passed: false,
    observed: { violations: "1", measured: { dep_delay: "1" } },
  });
});

test("a delivery that repeats records and drops others is stopped by the audits, with every reading kept", async () => {
  const lines = gunzipSync(readFileSync(WEEK_ONE)).toString("utf8").split("\n");
  writeFileSync(
    join(root, "contracts/flights/deliveries/2013-01-07.csv.gz"),
    gzipSync([...lines.slice(0, 4000), ...lines.slice(1, 301), ""].join("\n")),
  );
  const { result, record } = await audit();
  expect(result).toMatchObject({ ok: false, refusal: { code: "audit_failed" } });
  const failed = record?.readings.filter((one) => !one.passed).map((one) => one.name);
  expect(failed).toEqual(["enough_flights", "flight_key", "newest_flight"]);
  expect(record?.readings.length).toBe(record?.expected.length);
});

test("a file cut inside a quote or with a ragged row is refused with its line, and the run is recorded as failed", async () => {
  const lines = gunzipSync(readFileSync(WEEK_ONE)).toString("utf8").split("\n");
  writeFileSync(
    join(root, "contracts/flights/deliveries/2013-01-07.csv.gz"),
    gzipSync([...lines.slice(0, 100), "2013,1,1", ...lines.slice(100)].join("\n")),
  );
  const { result, record } = await audit();
  expect(result).toMatchObject({ ok: false, refusal: { code: "landing_failed" } });
  expect(result.ok ? "" : result.refusal.message).toContain(
    "2013-01-07.csv.gz:101, record 100: record 100 has 3 fields, the header has 19",
  );
  expect(record?.status).toBe("failed");
});
