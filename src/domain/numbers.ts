// Numbers, shares, sizes, durations and dates for people. Exact counts stay exact; a share never rounds to nothing or to everything.

const NARROW_SPACE = "\u202f";

/** `48512` → `48 512`, with a narrow no-break space; takes exact text, keeps a sign and a fraction; other text stays as it is. */
export function grouped(text: string): string {
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  if (match === null) return text;
  const digits = (match[2] ?? "").replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
  return `${match[1] === "-" ? "−" : ""}${digits}${match[3] ?? ""}`;
}

/** The difference of two exact counts: `+247`, `−12`, `0`. @throws SyntaxError for text that is no integer. */
export function signed(before: string, after: string): string {
  const difference = BigInt(after) - BigInt(before);
  return difference > 0n ? `+${grouped(difference.toString())}` : grouped(difference.toString());
}

/**
 * A share of exact counts with two decimals: `0.06 %`, `< 0.01 %`, `> 99.99 %`; only nothing is 0 % and only all is 100 %.
 * @throws SyntaxError for text that is no integer.
 */
export function share(part: string, whole: string): string {
  const all = BigInt(whole);
  const some = BigInt(part);
  if (all === 0n) return "no rows";
  if (some === 0n) return "0 %";
  if (some === all) return "100 %";
  const hundredths = (some * 10_000n + all / 2n) / all;
  if (some < all && hundredths === 0n) return "< 0.01 %";
  if (some < all && hundredths >= 10_000n) return "> 99.99 %";
  return `${hundredths / 100n}.${(hundredths % 100n).toString().padStart(2, "0")} %`;
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"] as const;

/** `149566` → `149.6 kB`, in powers of ten. */
export function readableBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999 950 would be printed as 1000.0 kB: it is a megabyte already.
  while (Number(value.toFixed(unit === 0 ? 0 : 1)) >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `0.42` → `0.4 s`, `0.003` → `< 0.1 s`, `125` → `2 min 5 s`, `9480` → `2 h 38 min`, `183600` → `2 d 3 h`. */
export function readableSeconds(seconds: number): string {
  if (seconds > 0 && seconds < 0.05) return "< 0.1 s";
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return parts(whole, [60, "min"], [1, "s"]);
  return whole < 172_800 ? parts(whole, [3600, "h"], [60, "min"]) : parts(whole, [86_400, "d"], [3600, "h"]);
}

type Unit = readonly [seconds: number, name: string];

/** Two units; the smaller one is left out where there is none of it. */
function parts(seconds: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)} ${largeName}${rest === 0 ? "" : ` ${rest} ${smallName}`}`;
}

/** `41` → `41 ms`, `2000` → `2 s`, `1250` → `1.3 s`: limits and waits, in milliseconds. */
export function readableMs(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 && ms % 1000 === 0 ? `${ms / 1000} s` : readableSeconds(ms / 1000);
}

/** What lies between two ISO instants, for a person. */
export const elapsedBetween = (from: string, to: string): string =>
  readableSeconds((Date.parse(to) - Date.parse(from)) / 1000);

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const two = (n: number): string => n.toString().padStart(2, "0");

const dayOf = (date: Date): string =>
  `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}`;

/** Text that is no instant (`infinity`, say) stays as it is: better odd than wrong. */
const readable = (iso: string, print: (date: Date) => string): string => {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : print(date);
};

/** `2026-11-26T06:12:40.000Z` → `26 Nov 2026`, in UTC. */
export const readableDay = (iso: string): string => readable(iso, dayOf);

/** `2026-11-26T06:12:40.000Z` → `26 Nov 2026, 06:12 UTC`. */
export const readableInstant = (iso: string): string =>
  readable(iso, (date) => `${dayOf(date)}, ${two(date.getUTCHours())}:${two(date.getUTCMinutes())} UTC`);

/** `2026-11-26T07:02:11.000Z` → `26 Nov 2026, 07:02:11 UTC`: where seconds matter. */
export const readableMoment = (iso: string): string =>
  readable(
    iso,
    (date) =>
      `${dayOf(date)}, ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} UTC`,
  );
