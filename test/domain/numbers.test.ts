// Numbers for people: exact counts stay exact, and nothing rounds to nothing or to everything.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  elapsedBetween,
  grouped,
  readableBytes,
  readableDay,
  readableInstant,
  readableMoment,
  readableMs,
  readableSeconds,
  share,
  signed,
} from "../../src/domain/numbers.ts";

const spaced = (text: string): string => text.replaceAll(" ", "\u202f");

describe("grouped", () => {
  test.each([
    ["0", "0"],
    ["999", "999"],
    ["1204", "1 204"],
    ["-1234567", "−1 234 567"],
    ["12345678901234567890.1234", "12 345 678 901 234 567 890.1234"],
  ])("%s is written %s", (text, expected) => expect(grouped(text)).toBe(spaced(expected)));

  test("text that is no plain number stays as it is", () => {
    for (const text of ["", "–", "1e9", "NaN", "1,5", " 12"]) expect(grouped(text)).toBe(text);
  });

  test("no digit is lost, however long the number", () => {
    fc.assert(
      fc.property(fc.bigInt(), (n) => grouped(`${n}`).replaceAll("\u202f", "").replace("−", "-") === `${n}`),
    );
  });
});

test("a difference carries its sign, and none is nought", () => {
  expect(signed("47940", "48187")).toBe("+247");
  expect(signed("48187", "46000")).toBe(spaced("−2 187"));
  expect(signed("9007199254740993", "9007199254740994")).toBe("+1");
  expect(signed("5", "5")).toBe("0");
});

describe("share", () => {
  test.each([
    ["31", "47940", "0.06 %"],
    ["2", "47940", "< 0.01 %"],
    ["47939", "47940", "> 99.99 %"],
    ["0", "47940", "0 %"],
    ["47940", "47940", "100 %"],
    ["1", "3", "33.33 %"],
    ["6", "3", "200.00 %"],
    ["0", "0", "no rows"],
  ])("%s of %s is %s", (part, whole, expected) => expect(share(part, whole)).toBe(expected));

  test("only nothing is 0 % and only all is 100 %", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 30n), fc.bigInt(1n, 10n ** 30n), (a, b) => {
        const [part, whole] = a < b ? [a, b] : [b, a];
        const text = share(`${part}`, `${whole}`);
        expect(/^0(?:\.00)? %$/.test(text)).toBe(false);
        expect(/^100(?:\.00)? %$/.test(text)).toBe(part === whole);
      }),
    );
  });
});

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1000, "1.0 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1.0 MB"],
  [157_286_400, "157.3 MB"],
  [2e18, "2000.0 PB"],
])("%d bytes are %s", (bytes, expected) => expect(readableBytes(bytes)).toBe(expected));

test.each([
  [0, "0.0 s"],
  [0.003, "< 0.1 s"],
  [0.42, "0.4 s"],
  [59.94, "59.9 s"],
  [59.96, "1 min"],
  [125, "2 min 5 s"],
  [3599.7, "1 h"],
  [9480, "2 h 38 min"],
  [183_600, "2 d 3 h"],
])("%d seconds are %s", (seconds, expected) => expect(readableSeconds(seconds)).toBe(expected));

test("waits and limits are in milliseconds as long as that is short", () => {
  expect([41, 100, 1250, 2000, 600_000].map(readableMs)).toEqual([
    "41 ms",
    "100 ms",
    "1.3 s",
    "2 s",
    "10 min",
  ]);
  expect(elapsedBetween("2026-11-26T07:02:11Z", "2026-11-26T09:40:11Z")).toBe("2 h 38 min");
});

test("instants are in UTC with the month's name; what is none stays as it is", () => {
  expect(readableInstant("2026-11-26T07:12:40.000+01:00")).toBe("26 Nov 2026, 06:12 UTC");
  expect(readableMoment("2026-11-26T06:02:09Z")).toBe("26 Nov 2026, 06:02:09 UTC");
  expect(readableDay("2026-01-05")).toBe("5 Jan 2026");
  expect([readableInstant("infinity"), readableDay(""), readableMoment("soon")]).toEqual([
    "infinity",
    "",
    "soon",
  ]);
});
