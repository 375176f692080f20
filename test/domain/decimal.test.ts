// Exact decimals: text in, text out, and arithmetic that a double cannot do.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  absDecimal,
  addDecimals,
  compareDecimals,
  decimal,
  decimalText,
  isWithinRate,
  isZeroDecimal,
  multiplyDecimals,
  negateDecimal,
  parseDecimal,
  subtractDecimals,
} from "../../src/domain/decimal.ts";

const anyDecimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer({ min: 0, max: 30 }))
  .map(([units, scale]) => ({ units, scale }));

describe("decimal text", () => {
  test("a decimal is written back digit for digit, trailing zeros kept", () => {
    for (const text of [
      "0",
      "-1",
      "12.50",
      "0.000",
      "-0.05",
      "9007199254740993",
      "12345678901234567890.12",
    ]) {
      expect(decimalText(decimal(text))).toBe(text);
    }
  });

  test("exponents, separators, hexadecimal, infinities, white space and empty text are no decimals", () => {
    for (const text of [
      "",
      " 1",
      "1 ",
      "1e3",
      "0x1F",
      "1_000",
      "1,5",
      ".5",
      "5.",
      "NaN",
      "Infinity",
      "--1",
      "١",
    ]) {
      expect(parseDecimal(text), text).toBeNull();
    }
    expect(() => decimal("NaN")).toThrow(RangeError);
  });

  test("minus zero is zero", () => {
    expect(decimalText(decimal("-0"))).toBe("0");
    expect(decimalText(decimal("-0.00"))).toBe("0.00");
    expect(isZeroDecimal(decimal("-0.00"))).toBe(true);
  });

  test("every decimal survives the way through text", () => {
    fc.assert(fc.property(anyDecimal, (value) => compareDecimals(decimal(decimalText(value)), value) === 0));
  });
});

describe("decimal arithmetic", () => {
  test("0.1 + 0.2 is 0.3", () => {
    expect(compareDecimals(addDecimals(decimal("0.1"), decimal("0.2")), decimal("0.3"))).toBe(0);
  });

  test("1.0 equals 1, and neighbours beyond 2^53 differ", () => {
    expect(compareDecimals(decimal("1.0"), decimal("1"))).toBe(0);
    expect(compareDecimals(decimal("9007199254740993"), decimal("9007199254740992"))).toBe(1);
  });

  test("adding and taking away gives the same value again", () => {
    fc.assert(
      fc.property(
        anyDecimal,
        anyDecimal,
        (a, b) => compareDecimals(subtractDecimals(addDecimals(a, b), b), a) === 0,
      ),
    );
  });

  test("a product has the scale of both factors and the sign of both", () => {
    expect(decimalText(multiplyDecimals(decimal("-1.5"), decimal("0.20")))).toBe("-0.300");
    fc.assert(
      fc.property(
        anyDecimal,
        anyDecimal,
        (a, b) =>
          compareDecimals(multiplyDecimals(negateDecimal(a), b), negateDecimal(multiplyDecimals(a, b))) === 0,
      ),
    );
    expect(decimalText(absDecimal(decimal("-7.1")))).toBe("7.1");
  });

  test("one bad row of a billion is above rate 0, and 1 of 100 is within 0.01", () => {
    expect(isWithinRate(1n, 1_000_000_000n, decimal("0"))).toBe(false);
    expect(isWithinRate(1n, 100n, decimal("0.01"))).toBe(true);
    expect(isWithinRate(2n, 199n, decimal("0.01"))).toBe(false);
    expect(isWithinRate(0n, 0n, decimal("0"))).toBe(true);
  });
});
