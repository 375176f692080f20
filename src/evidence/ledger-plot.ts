// The row ledger as proportional bars: where the delivered records went. The same numbers stand in a table beside it.
import { grouped } from "../domain/numbers.ts";
import { inHtml } from "./escape.ts";

export interface Bar {
  readonly label: string;
  readonly count: bigint;
}

/** SVG of horizontal bars, each as long as its share of the largest; a bar that is not empty is always visible. */
export function ledgerPlot(bars: readonly Bar[], sentence: string): string {
  const largest = bars.map((bar) => bar.count).toSorted((a, b) => (a < b ? 1 : -1))[0] || 1n;
  const rows = bars.map((bar, n) => {
    const width = bar.count === 0n ? 0 : Math.max(1.5, Number((bar.count * 10_000n) / largest) / 25);
    const y = n * 26;
    return `<text x="150" y="${y + 15}" text-anchor="end">${inHtml(bar.label)}</text><rect x="160" y="${y + 2}" width="${width.toFixed(1)}" height="18" fill="var(--good)"><title>${inHtml(`${bar.label}: ${grouped(bar.count.toString())}`)}</title></rect><text x="${(168 + width).toFixed(1)}" y="${y + 15}">${grouped(bar.count.toString())}</text>`;
  });
  return `<svg role="img" aria-label="${inHtml(sentence)}" viewBox="0 0 680 ${bars.length * 26}" width="100%" style="max-width:680px">${rows.join("")}</svg>`;
}
