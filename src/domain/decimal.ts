// Exact decimals on BigInt: nothing that was counted, summed or written in a contract passes through a double.

/** An exact decimal: `units` divided by ten to the power of `scale` (scale is 0 or more). */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?$/;

/** No decimal of a contract or of a database needs more digits; a limit keeps arithmetic on hostile text cheap. */
const MAX_DIGITS = 2000;

/** Parses plain decimal text (`-12.50`, `+7`); no exponent, no separators, no white space. Null for anything else. */
export function parseDecimal(text: string): Decimal | null {
  if (text.length > MAX_DIGITS) return null;
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const fraction = match[3] ?? "";
  const magnitude = BigInt(`${match[2] ?? "0"}${fraction}`);
  return { units: match[1] === "-" ? -magnitude : magnitude, scale: fraction.length };
}

/** As parseDecimal, for text that is known to be a decimal. @throws RangeError for anything else. */
export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text);
  if (parsed === null) throw new RangeError(`not a plain decimal: ${JSON.stringify(text.slice(0, 60))}`);
  return parsed;
}

const unitsAt = (value: Decimal, scale: number): bigint => value.units * 10n ** BigInt(scale - value.scale);

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale);
  const left = unitsAt(a, scale);
  const right = unitsAt(b, scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export const negateDecimal = (value: Decimal): Decimal => ({ units: -value.units, scale: value.scale });
export const subtractDecimals = (a: Decimal, b: Decimal): Decimal => addDecimals(a, negateDecimal(b));
export const absDecimal = (value: Decimal): Decimal => (value.units < 0n ? negateDecimal(value) : value);
export const isZeroDecimal = (value: Decimal): boolean => value.units === 0n;

export const multiplyDecimals = (a: Decimal, b: Decimal): Decimal => ({
  units: a.units * b.units,
  scale: a.scale + b.scale,
});

/** Text with as many fraction digits as the value's scale; `0` never carries a sign. */
export function decimalText(value: Decimal): string {
  const digits = (value.units < 0n ? -value.units : value.units).toString().padStart(value.scale + 1, "0");
  const whole = digits.slice(0, digits.length - value.scale);
  const sign = value.units < 0n ? "-" : "";
  return value.scale === 0
    ? `${sign}${whole}`
    : `${sign}${whole}.${digits.slice(digits.length - value.scale)}`;
}

/**
 * Whether `part` of `whole` (exact counts) is at most `rate`: `part <= rate * whole`, without a division
 * (contract: allow, "an exact integer comparison"). One bad row of a billion is above rate 0.
 */
export const isWithinRate = (part: bigint, whole: bigint, rate: Decimal): boolean =>
  part * 10n ** BigInt(rate.scale) <= rate.units * whole;
