// Durations as contracts write them.
import { describe, expect, test } from "vitest";
import { durationMs, parseDuration } from "../../src/domain/duration.ts";

describe("duration", () => {
  test("seconds, minutes, hours and days are milliseconds", () => {
    expect(["0d", "90s", "5m", "36h", "9d"].map(durationMs)).toEqual([
      0, 90_000, 300_000, 129_600_000, 777_600_000,
    ]);
  });

  test("anything but a whole number and a unit is refused", () => {
    for (const text of ["", "5", "5 m", "1.5h", "-1d", "05m", "1w", "1H", "1d2h", "9999999999s"]) {
      expect(parseDuration(text), text).toBeNull();
    }
    expect(() => durationMs("soon")).toThrow(RangeError);
  });

  test("the longest duration is a safe number of milliseconds", () => {
    expect(durationMs("999999d")).toBe(86_399_913_600_000);
    expect(parseDuration("1000000d")).toBeNull();
  });
});
