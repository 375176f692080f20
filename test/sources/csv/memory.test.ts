// Landing's memory: constant, however long the delivery, and bounded where a record never ends (case 16).
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../../..");
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "wap-memory-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const reportSchema = z.object({
  megabytes: z.number(),
  plainMegabytes: z.number(),
  records: z.number(),
  rejects: z.number(),
  end: z.string(),
});

/** Reads a generated delivery in a process of its own; `piece` is the source text of a function that gives its n-th chunk, or null. */
async function readInChild(piece: string, settings: object): Promise<z.infer<typeof reportSchema>> {
  const outfile = join(directory, "program.mjs");
  await build({
    stdin: {
      contents: `
        import { sourceSchema } from "./src/domain/contract/source.ts";
        import { recordReader } from "./src/sources/csv/csv-source.ts";
        const piece = ${piece};
        let plain = 0, records = 0, rejects = 0, end = "landed";
        async function* chunks() {
          for (let n = 0; ; n += 1) {
            const text = piece(n);
            if (text === null) return;
            const chunk = Buffer.from(text);
            plain += chunk.length;
            yield chunk;
          }
        }
        const source = sourceSchema.parse({ kind: "csv", path: "f.csv", columns: ["a", "b"], ...${JSON.stringify(settings)} });
        const reader = await recordReader({ root: "/", path: "f.csv", source }, { chunks: chunks(), read: () => ({ delivered: 0n, plain: 0n }), sha256: () => "s" }, "s");
        const kept = [];
        try {
          for await (const batch of reader.batches()) { records += batch.records.length; rejects += batch.rejects.length; kept.push(...batch.rejects); }
        } catch (error) { end = error.message; }
        console.log(JSON.stringify({ megabytes: process.resourceUsage().maxRSS / 1024, plainMegabytes: plain / 1048576, records, rejects, end }));`,
      resolveDir: ROOT,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  return reportSchema.parse(JSON.parse(execFileSync(process.execPath, [outfile], { encoding: "utf8" })));
}

const ROWS = `"1,plain text of a cell\\n".repeat(10_000) + '2,"quoted, with ""quotes"" é😀"\\n'.repeat(1_000)`;

test("200 MB of records are read in less than 300 MB", async () => {
  const report = await readInChild(
    `(() => { const rows = ${ROWS}; return (n) => n === 0 ? "a,b\\n" : n <= 800 ? rows : null; })()`,
    {},
  );
  expect(report).toMatchObject({ end: "landed", records: 800 * 11_000 });
  expect(report.plainMegabytes).toBeGreaterThan(190);
  expect(report.megabytes).toBeLessThan(300);
});

test("rejects that a consumer keeps do not keep the text that they stood in", async () => {
  // One reject of 20 bytes in every quarter of a megabyte: kept with its chunk it would be a gigabyte.
  const report = await readInChild(
    `(() => { const rows = "1,plain text of a cell\\n".repeat(11_000) + "1,2,3,this row is ragged\\n"; return (n) => n === 0 ? "a,b\\n" : n <= 2000 ? rows : null; })()`,
    { rejects: { max: 5000 } },
  );
  expect(report).toMatchObject({ end: "landed", rejects: 2000 });
  expect(report.megabytes).toBeLessThan(300);
});

test("a quote that is never closed ends the reading at the longest record, not at the end of the file", async () => {
  const report = await readInChild(
    `(n) => n === 0 ? 'a,b\\n1,"never closed\\n' : n < 3000 ? "1,plain text\\n".repeat(10_000) : null`,
    {},
  );
  expect(report.end).toMatch(
    /^f\.csv:2, record 1, column b: the record is longer than 1048576 bytes; the quote that opens here/,
  );
  expect(report.plainMegabytes).toBeLessThan(4);
  expect(report.megabytes).toBeLessThan(300);
});

test("a line that never ends is passed over without being kept", async () => {
  const report = await readInChild(
    `(n) => n === 0 ? "a,b\\n1," : n <= 800 ? "x".repeat(262_144) : n === 801 ? "\\n1,2\\n" : null`,
    { rejects: { max: 1 } },
  );
  expect(report).toMatchObject({ end: "landed", records: 1, rejects: 1 });
  expect(report.megabytes).toBeLessThan(300);
});
