// The audits that follow from a contract: all seven categories, each name once, the exact schema always among them.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readContract } from "../../../src/contracts/read.ts";
import type { DeclaredAudit } from "../../../src/domain/audits/declared.ts";
import { declaredAudits } from "../../../src/domain/audits/plan.ts";
import { CLAUSES } from "../../../src/domain/clauses.ts";
import { canonicalContract, parseCanonicalContract } from "../../../src/domain/contract.ts";
import { GOOD, spoiled, TODAY } from "../../contracts/example.ts";

const audits = (text: string): readonly DeclaredAudit[] => {
  const { contract, problems } = readContract("c.yml", text, TODAY);
  if (contract === null) throw new Error(JSON.stringify(problems));
  return declaredAudits(contract);
};

describe("declaredAudits", () => {
  test("assertions stand in the order of the clauses, the exact schema ends bounds, a waived clause has one audit", () => {
    expect(audits(GOOD).map(({ clause, name, level }) => `${clause} ${name} ${level}`)).toEqual([
      "volume rows gate",
      "grain order_key gate",
      "conservation file_ledger gate",
      "bounds country_set gate",
      "bounds schema_exact gate",
      "reconciliation gross_is_net gate",
      "freshness newest gate",
      "known_quirks known_quirks_not_applicable gate",
    ]);
  });

  test("every audit says in one sentence what must hold", () => {
    const sentences = Object.fromEntries(audits(GOOD).map(({ name, expectation }) => [name, expectation]));
    expect(sentences).toMatchObject({
      rows: "1 or more rows",
      order_key: "(order_id) is unique and never null",
      file_ledger: "parsed = landed + rejected",
      known_quirks_not_applicable: "not applicable, approved by @lena: new feed",
    });
  });

  test("the waiver's facts travel with its audit", () => {
    const text = spoiled(
      'approved_by: "@lena"}',
      'approved_by: "@lena", expires: 2027-01-31, approved_in: "acme/data#412"}',
    );
    expect(audits(text).at(-1)?.assertion).toEqual({
      check: "not_applicable",
      reason: "new feed",
      approved_by: "@lena",
      expires: "2027-01-31",
      approved_in: "acme/data#412",
    });
  });

  test("a contract that declares the exact schema itself has it once, under its own name", () => {
    const text = spoiled(
      "    country_set:",
      "    columns_as_agreed: {check: schema_exact, why: agreed}\n    country_set:",
    );
    expect(
      audits(text)
        .filter(({ assertion }) => assertion.check === "schema_exact")
        .map(({ name }) => name),
    ).toEqual(["columns_as_agreed"]);
  });

  test("what was parsed is landed or rejected: audited also where the contract does not say so", () => {
    const text = spoiled("left: parsed, right: [landed, rejected]", "left: landed, right: [staged]");
    expect(
      audits(text)
        .filter(({ clause }) => clause === "conservation")
        .map(({ name, expectation }) => `${name}: ${expectation}`),
    ).toEqual(["file_ledger: landed = staged", "landing_ledger: parsed = landed + rejected"]);
  });

  test("where bounds are waived the exact schema is still audited", () => {
    const text = GOOD.replace(
      /country_set: .*/,
      'not_applicable: {reason: free text only, approved_by: "@lena"}',
    );
    expect(
      audits(text)
        .filter(({ clause }) => clause === "bounds")
        .map(({ name }) => name),
    ).toEqual(["bounds_not_applicable", "schema_exact"]);
  });

  test("an advisory assertion is declared as advisory", () => {
    const text = spoiled(
      "    country_set:",
      "    net_range: {check: range, column: net, min: 0, level: advisory}\n    country_set:",
    );
    expect(audits(text).find(({ name }) => name === "net_range")?.level).toBe("advisory");
  });

  test("all seven categories are covered and no name stands twice, for the contracts that ship", () => {
    for (const path of ["../../fixtures/contracts/plays.yml", "../../../contracts/flights/flights.yml"]) {
      const declared = audits(readFileSync(new URL(path, import.meta.url), "utf8"));
      expect(new Set(declared.map(({ clause }) => clause))).toEqual(new Set(CLAUSES));
      expect(new Set(declared.map(({ name }) => name)).size).toBe(declared.length);
    }
  });

  test("the canonical text of a contract declares the same audits", () => {
    const { contract } = readContract("c.yml", GOOD, TODAY);
    if (contract === null) throw new Error("the example is right");
    const again = declaredAudits(parseCanonicalContract(canonicalContract(contract)));
    const byName = (list: readonly DeclaredAudit[]): readonly DeclaredAudit[] =>
      [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(byName(again)).toEqual(byName(declaredAudits(contract)));
  });
});
