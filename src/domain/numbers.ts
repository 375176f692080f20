// Numbers, shares, sizes, durations and dates for people. Exact counts stay exact; a share never rounds to nothing or to everything.

const NARROW_SPACE = "\u202f";

/** `48512` → `48 512`, with a narrow no-break space; takes exact text, keeps a sign and a fraction. */
export function grouped(text: string): string {
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  if (match === null) return text;
  const digits = (match[2] ?? "").replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
  return `${match[1] === "-" ? "−" : ""}${digits}${match[3] ?? ""}`;
}

/** `+247`, `−12`, `0`. */
export function signed(before: string, after: string): string {
  const difference = BigInt(after) - BigInt(before);
  return difference > 0n ? `+${grouped(difference.toString())}` : grouped(difference.toString());
}

/** A share of exact counts with two decimals: `0.06 %`, `< 0.01 %`, `> 99.99 %`; only nothing is 0 % and only all is 100 %. */
export function share(part: string, whole: string): string {
  const all = BigInt(whole);
  const some = BigInt(part);
  if (all === 0n) return "no rows";
  if (some === 0n) return "0 %";
  if (some === all) return "100 %";
  const hundredths = (some * 10_000n + all / 2n) / all;
  if (hundredths === 0n) return "< 0.01 %";
  if (hundredths >= 10_000n) return "> 99.99 %";
  return `${hundredths / 100n}.${(hundredths % 100n).toString().padStart(2, "0")} %`;
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** `149566` → `149.6 kB`. */
export function readableBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `0.42` → `0.4 s`, `125` → `2 min 5 s`. */
export function readableSeconds(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 3600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** `2026-11-26T06:12:40.000Z` → `26 Nov 2026, 06:12 UTC`. */
export function readableInstant(iso: string): string {
  const date = new Date(iso);
  const two = (n: number): string => n.toString().padStart(2, "0");
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ""} ${date.getUTCFullYear()}, ${two(date.getUTCHours())}:${two(date.getUTCMinutes())} UTC`;
}
