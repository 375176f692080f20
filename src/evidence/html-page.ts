// The frame of our HTML pages: one file, no network, no script; light, dark and print.
import { inHtml } from "./escape.ts";

const STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#1b1f24,#e6edf3);--soft:light-dark(#57606a,#9198a1);--line:light-dark(#d0d7de,#3d444d);--paper:light-dark(#fff,#0d1117);--box:light-dark(#f6f8fa,#151b23);--good:light-dark(#0a4a8f,#79b8ff);--bad:light-dark(#a33e00,#ffa657)}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}h1{font-size:1.5rem;margin:.2rem 0 .6rem}h2{font-size:1.1rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}
table{border-collapse:collapse;width:100%;margin:.6rem 0;display:block;overflow-x:auto}th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}th{background:var(--box);font-weight:600}
code{font:.9em ui-monospace,monospace;background:var(--box);padding:.1em .3em;border-radius:4px;overflow-wrap:anywhere}pre{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.7rem;overflow-x:auto}pre code{background:none;padding:0}
details{margin:.6rem 0}summary{cursor:pointer}.soft{color:var(--soft)}.verdict{border-left:.35rem solid var(--good);background:var(--box);padding:.7rem 1rem;border-radius:0 6px 6px 0}.verdict.bad{border-color:var(--bad)}
.card{border:1px solid var(--line);border-radius:6px;margin:1rem 0}.card>header{background:var(--box);border-bottom:1px solid var(--line);padding:.45rem 1rem;border-radius:6px 6px 0 0}.card>div{padding:.3rem 1rem 1rem;overflow-wrap:anywhere}.event{margin:1rem 0 1rem 1rem;color:var(--soft)}
blockquote{margin:.6rem 0;border-left:.3rem solid var(--good);padding:.2rem 1rem;background:var(--box)}blockquote.CAUTION,blockquote.WARNING{border-color:var(--bad)}svg text{fill:var(--ink);font:12px system-ui,sans-serif}
@media print{:root{color-scheme:light}details>*{display:block}}`;

/** `body` is HTML already; `title` is text. */
export const htmlPage = (title: string, body: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${inHtml(title)}</title><style>${STYLE}</style></head><body><main>
${body}
</main></body></html>
`;

/** A table of texts. */
export const htmlTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><thead><tr>${head.map((cell) => `<th scope="col">${inHtml(cell)}</th>`).join("")}</tr></thead><tbody>${rows.map((row) => `<tr>${row.map((cell) => `<td>${inHtml(cell)}</td>`).join("")}</tr>`).join("")}</tbody></table>`;
