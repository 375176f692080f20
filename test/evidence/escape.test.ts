// Whatever text comes in, it stays text: properties over hostile strings, one function an output (safety U2, github R31).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  clipped,
  forTerminal,
  inCode,
  inCommandData,
  inCommandProperty,
  inCsv,
  inHtml,
  inMarkdown,
} from "../../src/evidence/escape.ts";
import { code, link, plain, sentence } from "../../src/evidence/markdown.ts";
import { activeParts, hostile } from "./hostile-text.ts";

describe("Markdown", () => {
  test("nothing in a paragraph acts", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(activeParts(inMarkdown(text))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  test("nothing in code acts, and it stays inside", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(activeParts(`x ${inCode(text)} y`)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  test("a sentence with names in ticks acts no more than one without", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(activeParts(sentence(text))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  test("a cell stays one cell", () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const row = `| ${inMarkdown(a)} | ${inCode(b)} |`;
        expect(row).not.toMatch(/[\r\n]/);
        expect(row.split("|")).toHaveLength(4);
      }),
      { numRuns: 3000 },
    );
  });

  test("the oracle sees what acts", () => {
    for (const text of [
      "@lena",
      "&#64;lena",
      "see #12",
      "&#35;12",
      "GH-7",
      "<b>x</b>",
      "[a](http://b)",
      "https://a.b",
      "www.a.b",
      ":x:",
      "`open",
      "- item",
      "1. item",
      "# title",
      "> quote",
      "**b**",
      "<!-- x",
      "a_b @x",
    ])
      expect([text, activeParts(text)]).not.toEqual([text, []]);
  });

  test("no entity alone keeps GitHub from a mention or an issue: an invisible break does", () => {
    expect(inMarkdown("@lena")).toBe("&#64;&#8203;lena");
    expect(inMarkdown("acme/x#12")).toBe("acme/x&#35;&#8203;12");
  });

  test("a time, a negative number, a version and a name with underscores stay readable", () => {
    for (const text of [
      "26 Nov 2026, 06:12 UTC",
      "-12",
      "3.1.0",
      "play_type (game_id, play_id)",
      "a, b; c: d",
    ])
      expect(inMarkdown(text)).toBe(text);
  });

  test("code keeps ticks, pipes and outer spaces as they are", () => {
    expect(inCode("a`b")).toBe("<code>a&#96;b</code>");
    expect(inCode("a|b")).toBe("<code>a&#124;b</code>");
    expect(inCode(" a ")).toBe("`  a  `");
    expect(inCode("")).toBe("` `");
  });

  test("plain text and code never grow beyond their bytes, and say what is missing", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 60 }), (texts) => {
        const text = texts.join("");
        expect(Buffer.byteLength(plain(text, 300))).toBeLessThanOrEqual(300);
        expect(Buffer.byteLength(code(text, 300))).toBeLessThanOrEqual(300);
      }),
    );
    expect(plain("😀".repeat(500), 100)).toMatch(/^(?:😀)+ … \(\d+ more characters\)$/u);
  });

  test("a link leads to the web or nowhere", () => {
    expect(link("`x`", "https://a.b/c_d(e)?f=1#g")).toBe("[`x`](https://a.b/c%5Fd%28e%29?f=1#g)");
    for (const address of [
      "javascript:alert(1)",
      "data:text/html,x",
      "https://a b",
      "https://a<b",
      "//a.b",
      null,
      undefined,
    ])
      expect(link("x", address)).toBe("x");
  });
});

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u00a0]/u;

test("what nobody sees is shown, in every output", () => {
  const text = "a\u202eb\u200bc\u0000d\u001b[31me\u00a0f\ud800g\u2066h\ufeffi\u2800j\ufe0fk\u{e0041}";
  for (const print of [forTerminal, inMarkdown, inCode, inHtml]) {
    expect(print(text)).not.toMatch(INVISIBLE);
    expect(print(text)).toContain("⟨U+202E⟩");
    expect(print(text)).toContain("⟨U+E0041⟩");
  }
  expect(forTerminal("⚠️ 1\u202f204")).toBe("⚠️ 1\u202f204");
});

describe("terminals and logs", () => {
  test("one line in, one line out, and nothing in it moves the cursor", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(forTerminal(text)).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 2000 },
    );
    expect(forTerminal("a\r\nb\nc")).toBe("a⏎b⏎c");
  });

  test("no line is a workflow command: neither at its beginning nor, in the old form, anywhere", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(forTerminal(text).trimStart().startsWith("::")).toBe(false);
        expect(forTerminal(text)).not.toContain("##[");
      }),
      { numRuns: 2000 },
    );
  });
});

test("HTML holds no element, no entity and no quote of the text's own", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const out = inHtml(text);
      expect(out).not.toMatch(/[<>"']/);
      expect(out.replace(/&(?:amp|lt|gt|quot|#39);/g, "")).not.toContain("&");
    }),
    { numRuns: 2000 },
  );
});

describe("workflow commands", () => {
  // As actions/runner undoes it.
  const undone = (text: string): string =>
    text
      .replaceAll("%0D", "\r")
      .replaceAll("%0A", "\n")
      .replaceAll("%3A", ":")
      .replaceAll("%2C", ",")
      .replaceAll("%25", "%");

  test("a message is one line and comes back as it was", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(inCommandData(text)).not.toMatch(/[\r\n]/);
        expect(undone(inCommandData(text))).toBe(text);
      }),
    );
  });

  test("a property ends neither itself nor the command", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(inCommandProperty(text)).not.toMatch(/[\r\n,:]/);
        expect(undone(inCommandProperty(text))).toBe(text);
      }),
    );
  });
});

describe("CSV", () => {
  test.each(["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\n=1", " =1", "＝1"])(
    "%j is no formula",
    (text) => expect(inCsv(text)).toMatch(/^"'/),
  );
  test("numbers stay numbers, quotes are doubled", () => {
    expect(inCsv("-12.50")).toBe('"-12.50"');
    expect(inCsv('a"b\nc')).toBe('"a""b\nc"');
  });
});

test("a text is cut at a whole character, and the cut is counted", () => {
  expect(clipped("😀😀😀", 2)).toBe("😀😀 … (1 more characters)");
  expect(clipped("😀😀", 2)).toBe("😀😀");
});
