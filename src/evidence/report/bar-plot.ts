// Horizontal bars with their exact numbers: where the delivered records went, which keys change. No script, no library.
import { grouped } from "../../domain/numbers.ts";
import { clipped, inHtml } from "../escape.ts";

export interface Bar {
  readonly label: string;
  readonly count: string;
  readonly kind: "delivered" | "lost" | "staged";
}

const [LABELS, WIDTH, ROW] = [210, 360, 26];

/**
 * An image with a sentence that says what it shows, and a title on each bar; the same numbers stand in a table beside it. A bar is as
 * long as its share of the largest; one that is not empty is always visible.
 */
export function barPlot(bars: readonly Bar[], sentence: string): string {
  const largest = bars.reduce((most, bar) => (BigInt(bar.count) > most ? BigInt(bar.count) : most), 1n);
  const rows = bars.map(({ label, count, kind }, n) => {
    const size =
      BigInt(count) > 0n ? Math.max(2, Number((BigInt(count) * 10_000n) / largest) * (WIDTH / 10_000)) : 0;
    const y = n * ROW;
    const number = grouped(count);
    return [
      `<text x="${LABELS - 10}" y="${y + 17}" text-anchor="end">${inHtml(clipped(label, 28))}</text>`,
      `<rect class="${kind}" x="${LABELS}" y="${y + 3}" width="${size.toFixed(1)}" height="${ROW - 7}" rx="2"><title>${inHtml(`${clipped(label, 200)}: ${number}`)}</title></rect>`,
      `<text x="${(LABELS + size + 8).toFixed(1)}" y="${y + 17}">${number}</text>`,
    ].join("");
  });
  return `<figure><svg role="img" aria-label="${inHtml(clipped(sentence, 600))}" viewBox="0 0 ${LABELS + WIDTH + 120} ${bars.length * ROW}" width="${LABELS + WIDTH + 120}">${rows.join("")}</svg></figure>`;
}
