// The built command line: exit codes, documents on stdout, talk on stderr, and what Ctrl-C leaves (product: CLI).
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { evidenceSchema } from "../../src/domain/evidence.ts";
import { type WapDatabase, wapDatabase } from "../harness/wap-database.ts";

const CLI = join(process.cwd(), "dist/cli.js");
const CONTRACT = "contracts/flights/flights.yml";

let wap: WapDatabase;
let root: string;
let duties: Record<string, string>;

beforeAll(async () => {
  wap = await wapDatabase("analytics");
  await wap.admin(
    "CREATE SCHEMA ref; CREATE TABLE ref.airlines (carrier text PRIMARY KEY, name text); GRANT USAGE ON SCHEMA ref TO wap_builder, wap_auditor; GRANT SELECT ON ref.airlines TO wap_builder, wap_auditor",
  );
  for (const line of readFileSync("contracts/flights/airlines.csv", "utf8").trim().split("\n").slice(1)) {
    const [carrier, ...name] = line.split(",");
    await wap.admin("INSERT INTO ref.airlines VALUES ($1, $2)", [carrier, name.join(",")]);
  }
  root = mkdtempSync(join(tmpdir(), "wap-cli-"));
  cpSync("contracts/flights", join(root, "contracts/flights"), { recursive: true });
  edit((text) => text.replace("consumer_role: analyst", `consumer_role: ${wap.logins.consumer}`));
  duties = {
    WAP_BUILD_URL: wap.url(wap.logins.builder),
    WAP_APPROVE_URL: wap.url(wap.logins.approver),
    WAP_PUBLISH_URL: wap.url(wap.logins.publisher),
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

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function cli(
  args: readonly string[],
  env: Record<string, string> = duties,
  during?: (interrupt: () => void) => void,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: root,
      env: { PATH: process.env["PATH"] ?? "", ...env },
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      err += chunk.toString("utf8");
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
    during?.(() => child.kill("SIGINT"));
  });
}

const runId = (ended: Ended): string => evidenceSchema.parse(JSON.parse(ended.out)).run_id;

describe("without a database", () => {
  test("validate lists every problem with line and column, as text and as one document", async () => {
    expect(await cli(["validate", CONTRACT], {})).toMatchObject({ code: 0, out: "1 contract valid\n" });
    const broken = readFileSync(join(root, CONTRACT), "utf8")
      .replace("check: range", "chekc: range")
      .replace("unique_key", "unique_kez");
    writeFileSync(join(root, "broken.yml"), broken);
    const plain = await cli(["validate", "broken.yml"], {});
    expect(plain.code).toBe(2);
    expect(plain.err.match(/^broken\.yml:\d+:\d+: /gm)?.length).toBeGreaterThanOrEqual(2);
    expect(plain.err).toContain('did you mean "unique_key"');
    const document = JSON.parse((await cli(["validate", "broken.yml", "--json"], {})).out);
    expect(document.valid).toBe(false);
    expect(document.problems[0]).toMatchObject({
      path: "broken.yml",
      line: expect.any(Number),
      column: expect.any(Number),
    });
  });

  test.each([
    [["pubish"], 2, /did you mean publish/i],
    [["publish", "abc"], 2, /complete UUID/],
    [["audit", "nothing.yml"], 2, /no contract at nothing\.yml/],
    [["audit", CONTRACT], 4, /WAP_BUILD_URL is not set/],
    [["approve", "00000000-0000-4000-8000-000000000000"], 2, /--ref/],
    [["help", "stale_base"], 0, /exit 3/],
    [["setup", "--print"], 0, /CREATE FUNCTION wap_admin\.assert_gate/],
  ])("%j ends with %i", async (args, code, says) => {
    const ended = await cli(args, {});
    expect([ended.code, ended.out + ended.err]).toEqual([code, expect.stringMatching(says)]);
  });

  test("a connection that fails ends with 4 and shows no password", async () => {
    const ended = await cli(["runs"], { WAP_BUILD_URL: "postgres://someone:s3cret%2Fword@127.0.0.1:1/db" });
    expect(ended.code).toBe(4);
    expect(ended.out + ended.err).not.toMatch(/s3cret/);
  });
});

describe("with a database", () => {
  test("audit, approve, publish, verify, runs and show tell one story; every document is evidence", async () => {
    const audited = await cli(["audit", CONTRACT, "--json"]);
    expect([audited.code, audited.err], audited.err).toEqual([0, expect.stringContaining("17 of 17 pass")]);
    const id = runId(audited);
    const taken = await cli(["audit", CONTRACT, "--run-id", id, "--json"]);
    expect([taken.code, runId(taken)], "a run that exists is reported, never overwritten").toEqual([3, id]);
    expect((await cli(["publish", id])).code, "publish never approves by itself").toBe(3);
    expect((await cli(["approve", id, "--ref", "https://tickets.example/1"])).code).toBe(0);
    const published = await cli(["publish", id, "--json"]);
    expect([published.code, evidenceSchema.parse(JSON.parse(published.out)).status]).toEqual([
      0,
      "published",
    ]);
    expect((await cli(["publish", id])).code, "asking twice is harmless").toBe(0);
    expect((await cli(["verify", id])).code).toBe(0);
    expect(JSON.parse((await cli(["runs", "--json"])).out).runs[0].run_id).toBe(id);
    const shown = await cli(["show", id, "--html", "report.html"]);
    expect([shown.code, readFileSync(join(root, "report.html"), "utf8")]).toEqual([
      0,
      expect.stringContaining("Content-Security-Policy"),
    ]);
    expect(
      (await cli(["rollback", id, "--ref", "https://tickets.example/2"])).code,
      "there is no version before",
    ).toBe(3);
    const planned = await cli(["plan", CONTRACT, "--json"]);
    expect(JSON.parse(planned.out)).toMatchObject({
      preflight: { target: { exists: true, rowCount: "6064" } },
      plan: { strategy: "view" },
    });
  });

  test("a contract that says no ends with 1, names the audit and its line, and readers keep what they had", async () => {
    const strict = readFileSync(join(root, CONTRACT), "utf8").replace("min: 5000", "min: 9000");
    writeFileSync(join(root, "strict.yml"), strict);
    const ended = await cli(["audit", "strict.yml"]);
    expect(ended.code).toBe(1);
    const line = strict.split("\n").findIndex((text) => text.includes("enough_flights")) + 1;
    expect(ended.out + ended.err).toContain(`strict.yml:${line}`);
  });

  test("Ctrl-C cancels what runs in the server, ends with 130, and leaves no session behind (O37)", async () => {
    const holder = new pg.Client({ connectionString: wap.database.adminUrl });
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE ref.airlines IN ACCESS EXCLUSIVE MODE");
    const ended = await cli(["audit", CONTRACT], duties, (interrupt) => {
      const waiting = setInterval(() => {
        void wap
          .admin("SELECT 1 FROM pg_stat_activity WHERE usename = $1 AND wait_event_type = 'Lock'", [
            wap.logins.builder,
          ])
          .then((rows) => {
            if (rows.length === 0) return;
            clearInterval(waiting);
            interrupt();
          });
      }, 50);
    });
    await holder.query("ROLLBACK");
    await holder.end();
    expect([ended.code, ended.err]).toEqual([130, expect.stringContaining("interrupted")]);
    const left = await wap.admin("SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = $1", [
      wap.logins.builder,
    ]);
    expect(left).toEqual([{ n: 0 }]);
    const [newest] = await wap.admin("SELECT status FROM wap_admin.runs ORDER BY created_at DESC LIMIT 1");
    expect(newest).toEqual({ status: "failed" });
  });
});
