// The frame of our HTML pages: one file, no network, no script; light, dark and print.
import { createHash } from "node:crypto";
import { clipped, inHtml } from "./escape.ts";

const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#1b1f24,#e6edf3);--soft:light-dark(#57606a,#9198a1);--line:light-dark(#d0d7de,#3d444d);--paper:light-dark(#fff,#0d1117);--box:light-dark(#f6f8fa,#151b23);--good:light-dark(#0a4a8f,#79b8ff);--bad:light-dark(#a33e00,#ffa657);--pale:light-dark(#9dc3ea,#2f5f93)}
*{box-sizing:border-box}html{scroll-padding-top:1rem}body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:62rem;margin:0 auto;padding:1.5rem}h1{font-size:1.45rem;line-height:1.3;margin:.2rem 0 .4rem}h2{font-size:1.1rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}h3{font-size:1.15rem;line-height:1.35;margin:.8rem 0 .5rem}
a{color:var(--good)}p{margin:.6rem 0}.soft{color:var(--soft)}.nowrap{white-space:nowrap}
.scroll{overflow-x:auto;margin:.6rem 0}table{border-collapse:collapse;font-size:.95em}.wide table{width:100%}th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}th{background:var(--box);font-weight:600}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}tbody th.group{background:none;border-left:0;border-right:0;padding-top:.9rem}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,monospace;background:var(--box);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}pre{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;margin:.6rem 0;overflow-x:auto;font-size:.95em}pre code{background:none;padding:0;overflow-wrap:normal}
.scroll code,.scroll td,.scroll th{overflow-wrap:break-word}@media (max-width:40rem){.cards{grid-template-columns:repeat(2,1fr)}}details{margin:.6rem 0}summary{cursor:pointer;padding:.1rem 0}details>:not(summary){margin-left:1.1rem}ul,ol{padding-left:1.6rem;margin:.6rem 0}hr{border:0;border-top:2px solid var(--line);margin:2.5rem 0}
.verdict{border-left:.4rem solid var(--good);background:var(--box);padding:.7rem 1rem;border-radius:0 6px 6px 0;margin:.8rem 0}.verdict.bad{border-color:var(--bad)}.verdict p{margin:.25rem 0}
.cards{display:grid;grid-template-columns:repeat(3,1fr);gap:.7rem;padding:0;margin:.8rem 0;list-style:none}.cards li{border:1px solid var(--line);border-radius:6px;padding:.55rem .8rem}.cards b{display:block;font-size:1.12rem;font-weight:600;font-variant-numeric:tabular-nums}.cards span{color:var(--soft);font-size:.9em}
nav{font-size:.92em}nav a{margin-right:.9rem;white-space:nowrap}.failure{border:1px solid var(--line);border-left:.3rem solid var(--bad);border-radius:0 6px 6px 0;padding:.5rem 1rem}.failure>summary{font-weight:600}
.filter{border:0;padding:0;margin:.5rem 0}.filter legend{float:left;margin-right:.8rem;color:var(--soft)}.filter label{margin-right:1rem}
#audits:has(input[value=failed]:checked) tr.reading:not(.failed),#audits:has(input[value=advisory]:checked) tr.reading:not(.advisory),#audits:has(input[value=waived]:checked) tr.reading:not(.waived){display:none}
figure{margin:.8rem 0}svg{max-width:44rem;height:auto;display:block}svg text{fill:var(--ink);font:12.5px system-ui,sans-serif}svg .delivered{fill:var(--good)}svg .staged{fill:var(--pale)}svg .lost{fill:var(--bad)}
.conversation{max-width:54rem;margin:0 auto 2rem}.pull{display:flex;gap:.6rem;align-items:center;margin:.3rem 0 1rem}.state{border-radius:1rem;padding:.15rem .8rem;font-size:.9em;background:var(--good);color:var(--paper)}
.card{border:1px solid var(--line);border-radius:6px;margin:1rem 0}.card>header{background:var(--box);border-bottom:1px solid var(--line);padding:.4rem 1rem;border-radius:6px 6px 0 0;font-size:.93em}.card>div{padding:.3rem 1rem .7rem;overflow-wrap:anywhere}.bot{border:1px solid var(--line);border-radius:1rem;padding:0 .45rem;font-size:.8em;color:var(--soft)}.event{margin:.9rem 0 .9rem 1rem;color:var(--soft);font-size:.93em}.reactions{margin:.4rem 0}.reactions span{border:1px solid var(--line);border-radius:1rem;padding:.1rem .55rem;margin-right:.3rem}
.checks{list-style:none;padding:0;border:1px solid var(--line);border-radius:6px}.checks li{padding:.45rem 1rem}.checks li+li{border-top:1px solid var(--line)}
blockquote{margin:.6rem 0;border-left:.28rem solid var(--line);padding:.1rem 1rem;color:var(--soft)}blockquote.alert{color:var(--ink)}blockquote.TIP,blockquote.NOTE{border-color:var(--good)}blockquote.CAUTION,blockquote.WARNING{border-color:var(--bad)}.alert-title{font-weight:600}.TIP>.alert-title,.NOTE>.alert-title{color:var(--good)}.CAUTION>.alert-title,.WARNING>.alert-title{color:var(--bad)}sub{font-size:.82em;color:var(--soft);vertical-align:baseline}
@media print{:root{color-scheme:light}main{max-width:none;padding:0}details::details-content{content-visibility:visible;display:block;block-size:auto}nav,.filter{display:none}tr,figure,.failure,.cards li{break-inside:avoid}h2,h3{break-after:avoid}}`;

/** The one style sheet is allowed by its hash; nothing else is, and no address is ever loaded. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** `body` is HTML already; `title` is text. */
export const htmlPage = (title: string, body: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${inHtml(POLICY)}">
<title>${inHtml(title)}</title><style>${STYLE}</style></head><body><main>
${body}
</main></body></html>
`;

/** A cell: text, text in a column of numbers, or HTML of ours. */
export type Cell = string | { readonly number: string } | { readonly html: string };

const LONGEST_CELL = 600;

/** Text of a cell or a sentence: cut where it is longer than a person reads, and the cut is said. */
export const htmlText = (text: string, limit = LONGEST_CELL): string => inHtml(clipped(text, limit));

function cellHtml(tag: string, cell: Cell): string {
  if (typeof cell === "string") return `<${tag}>${htmlText(cell)}</${tag.split(" ")[0]}>`;
  if ("html" in cell) return `<${tag}>${cell.html}</${tag.split(" ")[0]}>`;
  return `<${tag} class="n">${htmlText(cell.number)}</${tag.split(" ")[0]}>`;
}

export const htmlRow = (cells: readonly Cell[], className = ""): string =>
  `<tr${className === "" ? "" : ` class="${className}"`}>${cells.map((cell) => cellHtml("td", cell)).join("")}</tr>`;

export const htmlHead = (head: readonly Cell[]): string =>
  head.length === 0
    ? ""
    : `<thead><tr>${head.map((cell) => cellHtml('th scope="col"', cell)).join("")}</tr></thead>`;

/** A table of cells; it scrolls sideways by itself where a page is narrow. Nothing for a table without rows. */
export const htmlTable = (head: readonly Cell[], rows: readonly (readonly Cell[])[]): string =>
  rows.length === 0
    ? ""
    : `<div class="scroll"><table>${htmlHead(head)}<tbody>${rows.map((row) => htmlRow(row)).join("")}</tbody></table></div>`;

/** Names and values, each name a row's heading. */
export const htmlFacts = (facts: readonly (readonly [string, Cell])[]): string =>
  facts.length === 0
    ? ""
    : `<div class="scroll"><table><tbody>${facts.map(([name, cell]) => `<tr><th scope="row">${htmlText(name)}</th>${cellHtml("td", typeof cell === "object" && "number" in cell ? cell.number : cell)}</tr>`).join("")}</tbody></table></div>`;

export const htmlDetails = (summary: string, body: string, open = false, className = ""): string =>
  `<details${open ? " open" : ""}${className === "" ? "" : ` class="${className}"`}><summary>${summary}</summary>${body}</details>`;

/** A link to an address of the web; anything else stays text. */
export const htmlLink = (text: string, address: string | null): string =>
  address !== null && /^https?:\/\/[^\s<>"]+$/.test(address)
    ? `<a href="${inHtml(address)}">${htmlText(text)}</a>`
    : htmlText(text);
