// Durations as a contract writes them: `90s`, `5m`, `36h`, `9d`. A day is 24 hours; zones belong to clocks, not to durations.

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const DURATION = /^(0|[1-9]\d{0,5})([smhd])$/;

/** Milliseconds of duration text, or null for anything that is not a whole number and one of s, m, h, d. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const unit = match[2];
  if (unit !== "s" && unit !== "m" && unit !== "h" && unit !== "d") return null;
  return Number(match[1]) * UNIT_MS[unit];
}

/** Milliseconds of duration text that was parsed before. @throws RangeError for anything else. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new RangeError(`not a duration: ${JSON.stringify(text.slice(0, 40))}`);
  return ms;
}
