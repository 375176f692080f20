// Delivered files: gzip, what is no text at all, paths that leave the repository, and files that change (safety E4, U1).
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { csvSource } from "../../../src/sources/csv/csv-source.ts";
import { drain, sha, sourceOf } from "./reading.ts";

let base: string;
let root: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "wap-csv-"));
  root = join(base, "repository");
  mkdirSync(root);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const place = (name: string, bytes: string | Buffer, settings = {}) => {
  writeFileSync(join(root, name), bytes);
  return csvSource({ root, path: name, source: sourceOf(["a"], settings) });
};

/** The sentence with which reading ends, wherever it does. */
async function ending(name: string, bytes: string | Buffer): Promise<string> {
  const opened = await place(name, bytes).open();
  if (!opened.ok) return opened.refusal.message;
  return drain(opened.value).then(
    () => "landed",
    (error: Error) => error.message,
  );
}

describe("gzip", () => {
  const text = `a\n${"1234567890\n".repeat(60_000)}`;
  const packed = gzipSync(text);

  test("is recognised by its bytes, with or without its name; totals tell delivered from plain bytes", async () => {
    for (const name of ["x.csv.gz", "x.csv"]) {
      const source = place(name, packed);
      expect(await source.identify()).toEqual({ bytes: BigInt(packed.length), sha256: sha(packed) });
      const opened = await source.open();
      if (!opened.ok) throw new Error(opened.refusal.message);
      expect((await drain(opened.value)).parsed).toBe(60_000n);
      expect(opened.value.totals()).toMatchObject({
        bytes: BigInt(packed.length),
        sha256: sha(packed),
        plainBytes: BigInt(text.length),
      });
    }
  });
  test("of several members is read to the end of the last", async () => {
    const opened = await place("m.csv.gz", Buffer.concat([gzipSync("a\n1\n"), gzipSync("2\n")])).open();
    expect(opened.ok && (await drain(opened.value)).records).toEqual([["1"], ["2"]]);
  });
  test("that is cut off or damaged is refused with the line that was reached", async () => {
    expect(await ending("cut.csv.gz", packed.subarray(0, packed.length - 12))).toMatch(
      /^cut\.csv\.gz:\d{3,}, record \d+: the gzip data is damaged or cut off/,
    );
    const damaged = Buffer.from(packed);
    damaged[packed.length - 6] = (damaged[packed.length - 6] ?? 0) ^ 0xff;
    expect(await ending("damaged.csv.gz", damaged)).toMatch(/the gzip data is damaged or cut off/);
  });
  test.each([1, 10, 300_000])("with %i other bytes behind it is refused", async (count) => {
    for (const rest of ["x", "\0", "\0x"])
      expect(
        await ending("tail.csv.gz", Buffer.concat([gzipSync("a\n1\n"), Buffer.alloc(count, rest)])),
        JSON.stringify(rest),
      ).toMatch(rest === "x" ? /the gzip data is damaged/ : /other bytes follow the end of the gzip data/);
  });
  test("by its name only is refused, in one sentence", async () => {
    expect(await ending("plain.csv.gz", "a\n1\n")).toBe(
      "plain.csv.gz:1: the name says gzip, the bytes are something else",
    );
    expect(await ending("empty.csv.gz", "")).toMatch(/the name says gzip/);
  });
});

test.each<[string, Buffer, RegExp]>([
  [
    "a workbook",
    Buffer.from("PK\x03\x04rest"),
    /a zip archive \(an \.xlsx workbook is one\), not delimited text/,
  ],
  ["zstd", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), /zstd data, not delimited text/],
  ["Parquet", Buffer.from("PAR1\0"), /a Parquet file/],
])("%s is refused by what it is", async (_, bytes, sentence) => {
  expect(await ending("other.csv", bytes)).toMatch(sentence);
});

test("a Git LFS pointer is refused with the remedy", async () => {
  const opened = await place("l.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n").open();
  expect(opened).toMatchObject({
    ok: false,
    refusal: { code: "landing_failed", next: expect.stringContaining("git lfs pull") },
  });
});

test("a file that changes while it is read is refused (E4)", async () => {
  const source = place("c.csv", "a\n1\n");
  await source.identify();
  writeFileSync(join(root, "c.csv"), "a\n2\n");
  const opened = await source.open();
  if (!opened.ok) throw new Error("not opened");
  await expect(drain(opened.value)).rejects.toMatchObject({ code: "source_changed" });
});

test("what lies outside the repository, by its path or by a link, is not read", async () => {
  writeFileSync(join(base, "outside.csv"), "a\n1\n");
  mkdirSync(join(base, "repository-2"));
  writeFileSync(join(base, "repository-2", "x.csv"), "a\n1\n");
  symlinkSync(join(base, "outside.csv"), join(root, "link.csv"));
  symlinkSync(base, join(root, "up"));
  mkdirSync(join(root, "folder.csv"));
  const paths = [
    "../outside.csv",
    "../repository-2/x.csv",
    "link.csv",
    "up/outside.csv",
    join(base, "outside.csv"),
    "missing.csv",
    "folder.csv",
    ".",
  ];
  for (const path of paths) {
    const source = csvSource({ root, path, source: sourceOf(["a"]) });
    await expect(source.identify(), path).rejects.toMatchObject({ code: "source_unreadable" });
    await expect(source.open(), path).rejects.toMatchObject({ code: "source_unreadable" });
  }
});

test("a link within the repository is followed", async () => {
  place("real.csv", "a\n1\n");
  symlinkSync(join(root, "real.csv"), join(root, "inner.csv"));
  const opened = await csvSource({ root, path: "inner.csv", source: sourceOf(["a"]) }).open();
  expect(opened.ok && (await drain(opened.value)).records).toEqual([["1"]]);
});

test.runIf(process.platform === "linux")("files are given back, however the reading ends", async () => {
  const openFiles = (): number => readdirSync("/proc/self/fd").length;
  const long = `a\n${"1,2\n".repeat(300_000)}`;
  await ending("warm.csv", long);
  const before = openFiles();
  for (let n = 0; n < 5; n += 1) {
    expect(await ending("ragged.csv", long)).toMatch(/ragged-row/);
    expect(await ending("ragged.csv.gz", gzipSync(long))).toMatch(/ragged-row/);
    expect(await ending("header.csv", `b\n${"1\n".repeat(300_000)}`)).toMatch(/lacks a/);
    const opened = await place("left.csv", `a\n${"1\n".repeat(300_000)}`).open();
    if (opened.ok) for await (const _ of opened.value.batches()) break;
  }
  await expect.poll(openFiles, { timeout: 2000 }).toBeLessThanOrEqual(before);
});
