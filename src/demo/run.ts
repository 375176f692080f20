// The demo: a team's week with wap, on real flights, driving the built Action through a stand-in for GitHub.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Surroundings } from "../compose.ts";
import { WapError } from "../domain/errors.ts";
import { grouped } from "../domain/numbers.ts";
import { conversationPage } from "../evidence/conversation-page.ts";
import type { Style } from "../evidence/terminal.ts";
import { conversationsOf } from "./conversation.ts";
import { startDemoDatabase } from "./database.ts";
import { startGitHubStandIn } from "./github/server.ts";
import { commentEvent, type Job, type JobEnd, pullRequestEvent, runJob } from "./job.ts";
import { startReader } from "./reader.ts";

export interface DemoOptions {
  readonly say: (line: string) => void;
  readonly style: Style;
  /** Where the demo leaves its files: `<root>/.wap/demo`. */
  readonly root: string;
}

/** The package's folder: beside dist/ when bundled, two folders up when run from source. */
function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "action.yml"))) {
    const parent = dirname(directory);
    if (parent === directory)
      throw new WapError(
        "source_unreadable",
        "the demo's files (contracts/flights, dist/index.js) are not beside the program",
      );
    directory = parent;
  }
  return directory;
}

const TOKEN = "ghs_demo";
const FOLDER = "contracts/flights";
const WEEK_ONE = `${FOLDER}/deliveries/2013-01-07.csv.gz`;
const WEEK_TWO = `${FOLDER}/deliveries/2013-01-14.csv.gz`;

/** @throws WapError where the story does not go as told: then the demo has failed. */
export async function runDemo({ say, style, root }: DemoOptions): Promise<void> {
  const home = packageRoot();
  const out = join(root, ".wap", "demo");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const file = (path: string): Buffer => readFileSync(join(home, path));
  const silent = {
    started: () => undefined,
    progress: () => undefined,
    finished: () => undefined,
    note: () => undefined,
  };
  const surroundings: Surroundings = { environment: {}, root, now: () => new Date(), log: silent };

  say(style("strong", "wap demo: write, audit, publish, on flights that left New York City in January 2013"));
  const database = await startDemoDatabase(file(`${FOLDER}/airlines.csv`).toString("utf8"), surroundings);
  const standIn = await startGitHubStandIn();
  try {
    say(
      "  an embedded PostgreSQL is set up: control schema, four duties, three logins; a reader polls analytics.flights every 20 ms\n",
    );
    const { state } = standIn;
    state.tokens.set(TOKEN, {
      login: "github-actions[bot]",
      permissions: { contents: "read", pull_requests: "write", checks: "write" },
    });
    const repository = state.addRepository("acme/flights", {
      lena: "maintain",
      omar: "write",
      rosa: "write",
    });
    const base = state.commit(repository, null, { ".github/CODEOWNERS": "/contracts/ @lena\n" });
    repository.branches.set("main", base);
    const reader = await startReader(database.readerUrl, "analytics.flights");
    const jobs: JobEnd[] = [];
    const job = async (
      event: Job["event"],
      actor: string,
      checkout: string,
      secrets: readonly (keyof typeof database.credentials)[],
    ): Promise<JobEnd> => {
      const end = await runJob({
        action: join(home, "dist", "index.js"),
        standIn,
        repository,
        token: TOKEN,
        event,
        actor,
        checkout,
        runnerTemp: out,
        secrets: Object.fromEntries(secrets.map((name) => [name, database.credentials[name]])),
      });
      jobs.push(end);
      return end;
    };
    const expectStatus = (end: JobEnd, status: string): void => {
      if (end.outputs["status"] !== status)
        throw new WapError(
          "internal",
          `the demo expected ${status}, the job ended as ${end.outputs["status"] ?? "nothing"}:\n${end.log}`,
        );
    };
    const readersSee = async (): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      const rows = reader.now();
      return rows === null ? "nothing yet" : `${grouped(rows)} rows`;
    };

    /** Opens a pull request and lets the audit job run on it. */
    const open = async (
      number: number,
      title: string,
      files: Record<string, Uint8Array>,
      expected: string,
    ): Promise<string> => {
      const head = state.commit(repository, repository.branches.get("main") ?? base, files);
      state.addPull(repository, {
        number,
        title,
        author: "rosa",
        headSha: head,
        baseSha: repository.branches.get("main") ?? base,
        files: Object.keys(files),
      });
      say(`${style("strong", `#${number} ${title}`)}  (rosa)`);
      const end = await job(pullRequestEvent(repository, number), "rosa", head, ["WAP_BUILD_URL"]);
      expectStatus(end, expected);
      const runIds: Record<string, string> = JSON.parse(end.outputs["run-ids"] ?? "{}");
      return runIds["flights"] ?? "";
    };
    /** Somebody comments, and the publish job answers from the default branch. */
    const comment = async (number: number, login: string, body: string, expected: string): Promise<void> => {
      const made = state.addComment(repository, number, login, body);
      say(`  ${login}: ${body}`);
      const end = await job(commentEvent(number, made), login, repository.branches.get("main") ?? base, [
        "WAP_APPROVE_URL",
        "WAP_PUBLISH_URL",
      ]);
      expectStatus(end, expected);
      const reply =
        repository.comments
          .filter((one) => one.issue === number)
          .at(-1)
          ?.body.split("\n")[0] ?? "";
      say(`  ${style(expected === "refused" ? "bad" : "good", plainText(reply))}`);
    };
    const merge = (number: number): void => {
      const pull = repository.pulls.get(number);
      if (pull === undefined) return;
      pull.state = "closed";
      pull.merged = { by: state.user("lena"), sha: pull.headSha };
      pull.events.push({ at: state.now(), author: "lena", text: "merged" });
      repository.branches.set("main", pull.headSha);
    };

    const contract = file(`${FOLDER}/flights.yml`);
    const first = await open(
      1,
      "Flights: contract and first week",
      {
        [`${FOLDER}/flights.yml`]: contract,
        [`${FOLDER}/flights.sql`]: file(`${FOLDER}/flights.sql`),
        [`${FOLDER}/flights-excluded.sql`]: file(`${FOLDER}/flights-excluded.sql`),
        [WEEK_ONE]: file(WEEK_ONE),
      },
      "audited",
    );
    say(`  ${style("good", "audited: every audit passes")}; readers see ${await readersSee()}`);
    await comment(1, "omar", `/publish ${first}`, "refused");
    await comment(1, "lena", `/publish ${first}`, "published");
    say(`  readers see ${await readersSee()}\n`);
    merge(1);

    await open(
      2,
      "Flights: second week, as it was first delivered",
      { [WEEK_ONE]: brokenDelivery(file(WEEK_TWO)) },
      "failed",
    );
    say(
      `  ${style("bad", plainText(title(repository.comments.filter((one) => one.issue === 2).at(-1)?.body ?? "")))}`,
    );
    say(`  readers still see ${await readersSee()}\n`);

    const third = await open(
      3,
      "Flights: second week, corrected delivery",
      {
        [`${FOLDER}/flights.yml`]: Buffer.from(contract.toString("utf8").replace("2013-01-07", "2013-01-14")),
        [WEEK_TWO]: file(WEEK_TWO),
      },
      "audited",
    );
    say(`  ${style("good", "audited: every audit passes")}; readers still see ${await readersSee()}`);
    // The evidence comment is edited in place afterwards: this is what lena decides on.
    const decidedOn = join(out, "evidence-comment.html");
    writeFileSync(decidedOn, conversationPage(conversationsOf(repository).filter((one) => one.number === 3)));
    await comment(3, "lena", `/publish ${third}`, "published");
    say(`  readers see ${await readersSee()}`);
    await comment(3, "lena", `/rollback ${third}`, "rolled_back");
    say(`  readers see ${await readersSee()} again\n`);

    const seen = await reader.stop();
    const page = join(out, "pull-requests.html");
    writeFileSync(page, conversationPage(conversationsOf(repository)));
    assertNoSecret(database.passwords, [
      ...jobs.map((one) => one.log + one.summary),
      ...repository.comments.map((one) => one.body),
    ]);
    say(style("strong", "In short"));
    say(
      `  the reader asked ${grouped(`${seen.reads}`)} times, saw ${seen.rowCounts.map(grouped).join(" → ")} rows, ${seen.errors.length} errors; the longest read took ${seen.longestMs.toFixed(0)} ms`,
    );
    say(`  no password in any log, comment or summary of ${jobs.length} jobs`);
    if (seen.errors.length > 0) throw new WapError("internal", `a reader met an error: ${seen.errors[0]}`);
    say(
      `  evidence of ${readdirSync(join(out, "wap-evidence")).length} runs (evidence.json, report.html): ${join(out, "wap-evidence")}`,
    );
    say(`  the pull requests as a person would see them: ${page}`);
    say(`  the evidence comment that lena decided on: ${decidedOn}`);
  } finally {
    await standIn.stop();
    await database.server.stop();
  }
}

/** A delivery as it goes wrong in life: a block repeated, the end cut off. */
function brokenDelivery(whole: Buffer): Buffer {
  const lines = gunzipSync(whole).toString("utf8").split("\n");
  return gzipSync([...lines.slice(0, 9000), ...lines.slice(8500, 9000), ""].join("\n"));
}

const title = (body: string): string => body.split("\n")[0]?.replace(/^#+ /, "") ?? "";

/** Markdown's entities and ticks taken away again, for a terminal. */
const plainText = (markdown: string): string =>
  markdown
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll("`", "")
    .replaceAll("\u200b", "");

function assertNoSecret(passwords: readonly string[], texts: readonly string[]): void {
  for (const secret of passwords) {
    for (const form of [secret, encodeURIComponent(secret)]) {
      if (texts.some((text) => text.includes(form)))
        throw new WapError("internal", "a password stands in what the jobs wrote");
    }
  }
}
