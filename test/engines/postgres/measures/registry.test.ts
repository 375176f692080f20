// Every check of the registry is shown passing, failing, with nothing to test and with nulls, on a real server.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHECKS } from "../../../../src/domain/audits/index.ts";
import { MEASURES } from "../../../../src/engines/postgres/measures/index.ts";
import { FIXTURES, type Fixture, KINDS } from "./fixtures.ts";
import { type Lab, measureLab } from "./lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await measureLab();
});
afterAll(() => lab.end());

const fixturesOf = (name: string): Readonly<Record<string, Fixture>> =>
  Object.entries(FIXTURES).find(([check]) => check === name)?.[1] ?? {};

describe.each(Object.keys(CHECKS))("%s", (name) => {
  test("has a measure and a fixture of each kind", () => {
    expect(Object.keys(MEASURES)).toContain(name);
    expect(Object.keys(fixturesOf(name))).toEqual([...KINDS]);
    expect(fixturesOf(name)["passing"]?.verdict).toBe("pass");
    expect(fixturesOf(name)["failing"]?.verdict).toBe("fail");
  });

  test.each(KINDS)("gives the %s reading that its fixture says", async (kind) => {
    const fixture = fixturesOf(name)[kind];
    if (fixture === undefined) throw new Error(`${name} has no ${kind} fixture`);
    const reading = await lab.read(fixture.data, fixture.assertion);
    expect(reading.observed.finding, JSON.stringify(reading)).toContain(fixture.says);
    expect(reading.observed).toMatchObject({ verdict: fixture.verdict, ...fixture.observed });
    expect(reading.passed).toBe(fixture.verdict === "pass");
    expect(reading.observed.ms).toBeGreaterThanOrEqual(0);
    if (fixture.verdict !== "error") expect(reading.observed.sql_sha256).toMatch(/^[0-9a-f]{64}$/);
  });
});
