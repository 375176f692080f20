// What counts as a command, and what never does (product: Comment commands; github R12).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCommand } from "../../src/domain/command.ts";

const ID = "3f0c8a52-6d1e-4b7a-9c55-0e2f1d3b4a69";
const OTHER = "9d2b7c10-58aa-4f3e-8d21-7c6b5a493827";
const publish = { kind: "publish", runId: ID };

describe("a command", () => {
  test.each([
    [`/publish ${ID}`, publish],
    [`/rollback ${ID}`, { kind: "rollback", runId: ID }],
    ["/audit", { kind: "audit", contract: null }],
    ["/audit nfl.plays", { kind: "audit", contract: "nfl.plays" }],
    ["/status", { kind: "status", runId: null }],
    [`/status ${ID}`, { kind: "status", runId: ID }],
    ["/wap help", { kind: "help" }],
    ["/publish", { kind: "publish_without_id" }],
  ])("%s is read", (body, command) => {
    expect(parseCommand(body)).toEqual(command);
  });

  test.each([
    ["blank lines before it", `\n\n  \t\n/publish ${ID}`],
    ["up to three spaces before it and any blanks after it", `   /publish ${ID}  \t`],
    ["line ends of Windows", `/publish ${ID}\r\n\r\nthanks\r\n`],
    ["a UUID in upper case", `/publish ${ID.toUpperCase()}`],
    ["two spaces inside", `/publish   ${ID}`],
    ["a remark after its line", `/publish ${ID}\n\nlooks right, compare with\n> yesterday\n- [x] done`],
    ["a quoted command in the remark", `/publish ${ID}\n> /publish ${OTHER}`],
    ["a fenced command in the remark", `/publish ${ID}\n\`\`\`\n/publish ${OTHER}\n\`\`\``],
    ["a command in the middle of a sentence", `/publish ${ID}\nuse /rollback if it breaks`],
  ])("may have %s", (_, body) => {
    expect(parseCommand(body)).toEqual(publish);
  });
});

describe("a comment that asks for nothing is silent", () => {
  test.each([
    ["an ordinary sentence", `I would /publish ${ID} now`],
    ["nothing", ""],
    ["blanks", " \n\t\n"],
    ["a quote", `> /publish ${ID}`],
    ["a quote and a command after it", `> are we good?\n\n/publish ${ID}`],
    ["a fence", `\`\`\`\n/publish ${ID}\n\`\`\``],
    ["a fence of tildes with a shorter one inside", `~~~~\n~~~\n/publish ${ID}\n~~~~`],
    ["a fence that is never closed", `\`\`\`sh\n/publish ${ID}`],
    ["indented code", `    /publish ${ID}`],
    ["code indented with a tab", `\t/publish ${ID}`],
    ["inline code", `\`/publish ${ID}\``],
    ["a list", `- /publish ${ID}`],
    ["an HTML comment", `<!-- /publish ${ID} -->`],
    ["an HTML comment over several lines", `<!--\n/publish ${ID}\n-->`],
    ["an HTML comment that is never closed", `<!--\n/publish ${ID}`],
    ["a hidden line before the command", `<!-- note -->\n/publish ${ID}`],
    ["a line of one invisible character before the command", `\u200b\n/publish ${ID}`],
    ["a command on the second line", `please\n/publish ${ID}`],
    ["another tool's command", "/deploy production"],
    ["another tool's command with a like name", "/auditor on"],
  ])("%s", (_, body) => {
    expect(parseCommand(body)).toEqual({ kind: "none" });
  });

  test("the title and body that were pasted into shells elsewhere (O48)", () => {
    const hostile = 'load "march" $(touch owned) `id`\nstatus=published';
    expect(parseCommand(hostile)).toEqual({ kind: "none" });
  });
});

describe("what looks like a command and is not exactly one is refused, with one sentence", () => {
  test.each([
    ["text behind the id", `/publish ${ID} please`],
    ["a short id", `/publish ${ID.slice(0, 8)}`],
    ["an id with a letter too many", `/publish ${ID}a`],
    ["an id in braces", `/publish {${ID}}`],
    ["a no-break space between", `/publish\u00a0${ID}`],
    ["a no-break space behind", `/publish ${ID}\u00a0`],
    ["a zero-width space before", `\u200b/publish ${ID}`],
    ["a zero-width space inside", `/pub\u200blish ${ID}`],
    ["a byte order mark before", `\ufeff/publish ${ID}`],
    ["a bidirectional override behind", `/publish ${ID}\u202e`],
    ["a soft hyphen in the id", `/publish ${ID.slice(0, 9)}\u00ad${ID.slice(9)}`],
    ["a full-width digit in the id", `/publish ${ID.replace("3", "\uff13")}`],
    ["a hidden comment behind", `/publish ${ID} <!-- and ${OTHER} -->`],
    ["junk behind the verb", `/publishing ${ID}`],
    ["another verb of that name", `/publish-now ${ID}`],
    ["upper case", `/PUBLISH ${ID}`],
    ["two ids", `/publish ${ID} ${OTHER}`],
    ["a rollback without an id", "/rollback"],
    ["a status with half an id", "/status 3f0c"],
    ["an audit of two contracts", "/audit a b"],
    ["an audit of something that is no contract id", "/audit ../../etc"],
    ["a bare /wap", "/wap"],
  ])("%s", (_, body) => {
    expect(parseCommand(body)).toMatchObject({ kind: "refused", sentence: expect.stringMatching(/\.$/) });
  });

  test.each([
    ["on the next line", `/publish ${ID}\n/publish ${OTHER}`],
    ["the same one again", `/publish ${ID}\n\n/publish ${ID}`],
    ["of another kind, far below", `/publish ${ID}\n\ntext\n\n/wap help`],
    ["that goes on with a paragraph, indented", `/publish ${ID}\ntext\n    /rollback ${OTHER}`],
    [
      "after code inside a line that begins like a fence",
      `/publish ${ID}\n\`\`\`code\`\`\`\n/publish ${OTHER}`,
    ],
    [
      "after what only looks like the start of an HTML comment",
      `/publish ${ID}\nx <!-- y\n/publish ${OTHER}`,
    ],
    ["after a fence that a hidden comment opens", `/publish ${ID}\n<!--\n\`\`\`\n-->\n/publish ${OTHER}`],
    [
      "behind a separator that only some programs take for a line end",
      `/publish ${ID}\u2028/publish ${OTHER}`,
    ],
    ["with an invisible character before it", `/publish ${ID}\n\u200b/rollback ${OTHER}`],
  ])("a second command %s", (_, body) => {
    expect(parseCommand(body)).toMatchObject({ kind: "refused" });
  });
});

test("no text around it, and nothing but the exact line, ever makes a run published (property)", () => {
  const exactLine = new RegExp(`^ {0,3}/publish +${ID} *$`);
  const piece = fc.constantFrom(
    "/publish",
    ID,
    ` ${ID}`,
    " ",
    "\n",
    "\r\n",
    "\t",
    "    ",
    ">",
    "```",
    "~~~",
    "<!--",
    "-->",
    "\u00a0",
    "\u200b",
    "x",
    "`",
    "- ",
    "/rollback ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const body = pieces.join("");
      if (parseCommand(body).kind !== "publish") return;
      const first = body.split(/\r\n|[\n\r]/).find((line) => line.trim() !== "") ?? "";
      expect(first.replace(/\t/g, " ").replace(/ +/g, " ")).toMatch(exactLine);
    }),
    { numRuns: 5000 },
  );
});
