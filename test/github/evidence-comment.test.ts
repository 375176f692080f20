// The one comment on a pull request: found, edited, written again, never somebody else's, never two, never too long (github R25, R27, R29, R40).
import { describe, expect, test } from "vitest";
import { BODY_LIMIT, upsertComment } from "../../src/github/evidence-comment.ts";
import { BOT, useLab } from "./lab.ts";

const lab = useLab();
const MARKER = "<!-- wap:evidence acme/data#1 -->";
const body = (text: string): string => `${text}\n\n${MARKER}`;
const bodies = (): readonly string[] => lab.repository.comments.map((comment) => comment.body);
const write = (text: string): Promise<void> => upsertComment(lab.github, 1, MARKER, body(text));

describe("the evidence comment", () => {
  test("is written once and edited in place; an unchanged one is left alone", async () => {
    lab.open(1);
    await write("one");
    await write("two");
    await write("two");
    expect(bodies()).toEqual([body("two")]);
    expect(lab.operations().filter((one) => one === "issues/update-comment")).toHaveLength(1);
  });

  test("is found behind more than a page of others (R40)", async () => {
    lab.open(1);
    for (let n = 0; n < 101; n += 1) lab.state.addComment(lab.repository, 1, "omar", `comment ${n}`);
    await write("one");
    await write("two");
    expect(bodies().filter((text) => text.includes(MARKER))).toEqual([body("two")]);
  });

  test("is never one that a person wrote, whatever marker it bears (R29)", async () => {
    lab.open(1);
    const planted = lab.state.addComment(lab.repository, 1, "mallory", body("all is well"));
    await write("failed");
    expect(planted.body).toBe(body("all is well"));
    expect(bodies()).toEqual([body("all is well"), body("failed")]);
  });

  test("is never a reply of ours that quotes the marker", async () => {
    lab.open(1);
    const reply = lab.state.addComment(lab.repository, 1, BOT, `see ${MARKER} above`);
    await write("one");
    expect(reply.body).toBe(`see ${MARKER} above`);
  });

  test("is that of the token's own user, for a person's token", async () => {
    lab.open(1);
    lab.state.tokens.set("ghp_lena", {
      login: "lena",
      permissions: { user: "read", pull_requests: "write" },
    });
    const bots = lab.state.addComment(lab.repository, 1, BOT, body("the bot's"));
    const github = lab.client("ghp_lena");
    await upsertComment(github, 1, MARKER, body("one"));
    await upsertComment(github, 1, MARKER, body("two"));
    expect(bots.body).toBe(body("the bot's"));
    expect(bodies()).toEqual([body("the bot's"), body("two")]);
  });

  test("that somebody edited is put right; that somebody deleted is written again (R27)", async () => {
    lab.open(1);
    await write("one");
    const [comment] = lab.repository.comments;
    if (comment !== undefined) comment.body = body("looks good to me");
    await write("one");
    expect(bodies()).toEqual([body("one")]);
    lab.repository.comments.length = 0;
    await write("one");
    expect(bodies()).toEqual([body("one")]);
  });

  test("that is deleted just before it is edited is written again (R27)", async () => {
    lab.open(1);
    await write("one");
    lab.standIn.onRequest = (operation) => {
      if (operation === "issues/update-comment") lab.repository.comments.length = 0;
    };
    await write("two");
    expect(bodies()).toEqual([body("two")]);
  });

  test("stays one when two jobs write it at the same moment: the oldest, with the newest text (R29)", async () => {
    lab.open(1);
    let raced = false;
    lab.standIn.onRequest = (operation) => {
      if (operation !== "issues/create-comment" || raced) return;
      raced = true;
      lab.state.addComment(lab.repository, 1, BOT, body("the other job's"));
    };
    await write("mine");
    expect(bodies()).toEqual([body("mine")]);
    expect(lab.repository.comments[0]?.id).toBeLessThan(lab.state.nextId() - 1);
  });

  test("that another bot planted does not lead to its deletion of others' comments", async () => {
    lab.open(1);
    let raced = false;
    lab.standIn.onRequest = (operation) => {
      if (operation !== "issues/create-comment" || raced) return;
      raced = true;
      lab.state.addComment(lab.repository, 1, "other[bot]", body("planted"));
    };
    await write("mine");
    expect(lab.operations()).not.toContain("issues/delete-comment");
  });

  test("is never longer than GitHub takes, in bytes and in characters, and keeps its marker (R25)", async () => {
    lab.open(1);
    for (const character of ["x", "é", "語", "😀"]) {
      await write(`${"head\n"}${character.repeat(Math.ceil(70_000 / Buffer.byteLength(character)))}`);
      const [text = ""] = bodies();
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BODY_LIMIT);
      expect(Buffer.byteLength(text)).toBeGreaterThan(BODY_LIMIT - 8);
      expect(text.startsWith("head\n")).toBe(true);
      expect(text.endsWith(MARKER)).toBe(true);
      expect(text).not.toContain("\uFFFD");
      expect(text.isWellFormed()).toBe(true);
    }
    expect(bodies()).toHaveLength(1);
  });
});
