// The check run of a contract: its conclusion, and annotations at the contract's lines (github R6).
import { describe, expect, test } from "vitest";
import { evidenceDigest } from "../../src/evidence/bundle.ts";
import { checkOutput } from "../../src/evidence/check-output.ts";
import { building, failed, lineOf, passed, published, RUN, rolledBack, stopped } from "./examples.ts";

describe("the check of a run", () => {
  test("fails with one annotation a failed audit, at the contract's line", () => {
    const check = checkOutput(failed, lineOf);
    expect(check).toMatchObject({ conclusion: "failure", title: "nfl.plays: 3 of 11 audits failed" });
    expect(check.annotations).toEqual(
      failed.readings
        .filter((one) => !one.passed && one.level === "gate")
        .map((one) => ({
          path: "contracts/nfl/plays.yml",
          line: lineOf(one),
          title: `${one.clause}.${one.name}`,
          message: `${one.observed.finding} (expected: ${one.expectation})`,
        })),
    );
    expect(new Set(check.annotations.map((one) => one.line)).size).toBe(3);
    expect(check.summary).toContain("Readers still see the old version");
  });

  test("fails for a run that stopped before its audits, and for one that did not finish (R6)", () => {
    expect(checkOutput(stopped, lineOf)).toMatchObject({
      conclusion: "failure",
      title: "nfl.plays: stopped: landing_failed",
      annotations: [{ line: 1, title: "landing_failed" }],
    });
    expect(checkOutput(building, lineOf)).toMatchObject({
      conclusion: "failure",
      annotations: [{ message: "the run did not finish" }],
    });
  });

  test("succeeds where every audit passed, and says what became of the run", () => {
    expect(checkOutput(passed, lineOf)).toMatchObject({
      conclusion: "success",
      title: `nfl.plays: 11 audits pass; run ${RUN}`,
      annotations: [],
    });
    expect(checkOutput(published, lineOf).summary).toMatch(/^This run is published\./);
    expect(checkOutput(rolledBack, lineOf)).toMatchObject({
      conclusion: "success",
      title: `nfl.plays: 11 audits pass, published and rolled back; run ${RUN}`,
    });
  });

  test("ends with run and digest", () =>
    expect(
      checkOutput(passed, lineOf).summary.endsWith(
        `run \`${RUN}\` · evidence sha256 \`${evidenceDigest(passed)}\``,
      ),
    ).toBe(true));
});
