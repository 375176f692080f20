// Replies to commands: what happened, which condition says no, who may, and what to do (github R36).
import { describe, expect, test } from "vitest";
import {
  HELP_REPLY,
  publishedReply,
  refusedReply,
  rolledBackReply,
  statusReply,
  usageReply,
  whichRunReply,
} from "../../src/evidence/replies.ts";
import { failed, passed, previous, published, RUN, rolledBack, unverified } from "./examples.ts";

describe("replies", () => {
  test("refused: nothing changed, the code, every condition with its mark, who may, what to do", () => {
    const reply = refusedReply(
      {
        code: "author_may_not_approve",
        message: "not one's own work: rosa is the author",
        next: `Another person comments \`/publish ${RUN}\`: @acme/nfl-data may.`,
      },
      [
        { name: "head commit", verdict: "yes", sentence: "8d1f3a2, the audited one" },
        { name: "not one's own work", verdict: "no", sentence: "rosa is the author" },
        { name: "authority", verdict: "unknown", sentence: "the token lacks `Members: read`" },
      ],
      ["@acme/nfl-data", "@lena"],
    );
    expect(reply).toBe(
      [
        "⛔ Refused; readers see what they saw before. `author_may_not_approve`: not one's own work: rosa is the author",
        "|  | condition |  |\n| --- | --- | --- |\n| ✓ | head commit | 8d1f3a2, the audited one |\n| ✗ | not one's own work | rosa is the author |\n| cannot know | authority | the token lacks `Members: read` |",
        "Who may: `acme/nfl-data`, `lena`.",
        `Next: Another person comments \`/publish ${RUN}\`: &#64;&#8203;acme/nfl-data may.`,
        `\`\`\`\n/publish ${RUN}\n\`\`\``,
      ].join("\n\n"),
    );
  });

  test("a version that is live and does not verify is not called refused", () => {
    const reply = refusedReply({ code: "verification_failed", message: "content as analyst: not equal" });
    expect(reply).toMatch(/^⚠️ It is live, but does not verify\. `verification_failed`/);
    expect(reply).not.toMatch(/[Nn]othing|before\./);
  });

  test("published and rolled back: what readers see since when, and how it verified", () => {
    expect(publishedReply(published)).toMatch(
      /^📦 `nfl\.plays` 3\.1\.0 is published: readers of `analytics\.nfl_plays` see 48\u202f187 rows since 26 Nov 2026, 07:02:11 UTC\. Verified: 4 of 4 checks\.\n\nTo undo:\n\n```\n\/rollback 3f0c2a9e/,
    );
    expect(publishedReply(unverified)).toContain(
      "⚠️ Verified: 2 of 3 checks; not content as analyst: not equal to what was audited.",
    );
    expect(publishedReply({ ...published, rollbackName: null })).not.toContain("/rollback");
    expect(rolledBackReply(rolledBack, [previous])).toContain("see 3.0.4 again. Verified: 2 of 2 checks.");
    expect(rolledBackReply(rolledBack)).toContain("see the version before again.");
  });

  test("status: a table of the runs, and the conditions where one was asked for", () => {
    expect(statusReply([])).toBe("There is no run here yet.");
    const reply = statusReply(
      [published, failed],
      [{ name: "age", verdict: "yes", sentence: "young enough" }],
    );
    expect(reply).toContain(
      `| \`${RUN}\` | \`nfl.plays\` 3.1.0 | published | 48\u202f187 | 26 Nov 2026, 06:10 UTC | readers see this |`,
    );
    expect(reply).toContain("| ✓ | age | young enough |");
    expect(reply).toContain("Nothing was written to find out.");
  });

  test("publish without an id: the runs that can be published, each as a command to copy", () => {
    expect(whichRunReply([])).toContain("no run here can be published now");
    expect(whichRunReply([passed])).toContain(`\`\`\`\n/publish ${RUN}\n\`\`\``);
    expect(whichRunReply([passed])).toMatch(/^Nothing was published/);
  });

  test("usage and help name every command", () => {
    for (const command of [
      "/publish <run-id>",
      "/rollback <run-id>",
      "/audit [contract]",
      "/status [run-id]",
      "/wap help",
    ]) {
      expect(HELP_REPLY).toContain(`\`${command}\``);
      expect(usageReply("A command stands alone on its line.")).toContain(`\`${command}\``);
    }
  });
});
