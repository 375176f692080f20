// Hostile text, and an oracle for what would act on GitHub: written apart from the escaping, after how GitHub reads a comment.
import fc from "fast-check";

// The same strings on every machine; take the line away to look for new ones.
fc.configureGlobal({ seed: 20_261_126 });

/** Pieces that act in Markdown, in HTML, in a terminal, in a log, in a spreadsheet or in SQL. */
export const PIECES: readonly string[] = [
  ..."@lena|@acme/team|#12|GH-3|acme/x#4|acme/x@0123abc|https://evil.example/x|http://a|www.evil.example|mailto:a@b.co|a@b.co".split(
    "|",
  ),
  ..."<script>alert(1)</script>,</details>,<details open><summary>,<!--,-->,<img src=x onerror=y>,<a href=x>,</code>,</span>,</sub>".split(
    ",",
  ),
  ..."` `` ``` ~~~ | \\| \\ * ** _ __ ~~ [x](https://y) ![i](u) [^1] $x$ $$ &amp; &#64; &commat; &lt; :smile: :100: #".split(
    " ",
  ),
  ...["- ", "+ ", "1. ", "1) ", "# ", "> ", "---", "===", "    x", "| a |", "[a]: b", "- [x] "],
  ...[
    "\t",
    "\n",
    "\r\n",
    "\n\n",
    "\u2028",
    "\u0085",
    "\u200b",
    "\u202e",
    "\u2066",
    "\u0000",
    "\u001b[31m",
    "\u001b]8;;x\u0007",
    "\ufeff",
    "\ud800",
    "\u00a0",
  ],
  ...[
    "😀",
    "é",
    "漢",
    " ",
    "a",
    "1",
    "::error::x",
    "::add-mask::x",
    "##[error]x",
    "%0A",
    "%",
    ",",
    ":",
    "=1+1",
    "'; DROP TABLE x; --",
    `$${"{{ x }}"}`,
  ],
];

export const hostile: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "grapheme", maxLength: 4 })), {
    minLength: 1,
    maxLength: 7,
  })
  .map((pieces) => pieces.join(""));

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', commat: "@" };

const decoded = (text: string): string =>
  text.replace(
    /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) =>
      decimal !== undefined
        ? String.fromCodePoint(Number(decimal))
        : hex !== undefined
          ? String.fromCodePoint(Number.parseInt(hex, 16))
          : (ENTITIES[name ?? ""] ?? whole),
  );

/** Elements that our Markdown itself writes. */
const OURS = /<\/?(?:code|span|sub|summary|details(?: open)?)>/g;

/**
 * Everything in a line of Markdown that would act. GitHub turns entities into characters first and looks for mentions, issues, links and
 * emoji in the finished text after that; code is left alone. Mark-up is looked for before entities are turned.
 */
export function activeParts(line: string): readonly string[] {
  const found: string[] = [];
  // Code spans: as many ticks at the end as at the beginning.
  const outside = line
    .replace(/(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g, "¤")
    .replace(/<span>&#36;<\/span>/g, "¤")
    .replace(/<code>[^<]*<\/code>/g, "¤");
  const markup =
    /`|[*~[\]\\$|]|<|>|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^(?: {4}|\t|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}(?:\s|$)|-{3,}|={1,}\s*$)/g;
  found.push(...(outside.replace(OURS, "").match(markup) ?? []));
  const text = decoded(outside.replace(OURS, ""));
  for (const active of [
    /@[A-Za-z0-9]/g,
    /#\d/g,
    /\bGH-\d/gi,
    /[a-z][a-z0-9+.-]*:\/\//gi,
    /mailto:[a-z0-9]/gi,
    /www\./gi,
    /:[a-z_+-][a-z0-9_+-]*:/gi,
    /:(?:100|1234):/g,
  ])
    found.push(...(text.match(active) ?? []));
  return found;
}
