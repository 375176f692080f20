// The vocabulary of checks is complete and closed: what contract.md names is either built or said to be not yet supported.
import { describe, expect, test } from "vitest";
import { CHECKS } from "../../../src/domain/audits/index.ts";
import { HEEDED } from "../../../src/domain/contract/lint/keys.ts";
import { READ_ENCODINGS } from "../../../src/domain/contract/lint/supported.ts";
import { NOT_BUILT_CHECKS, REGISTRY } from "../../../src/domain/contract/vocabulary.ts";
import { READABLE_ENCODINGS } from "../../../src/sources/csv/decode.ts";

const LANGUAGE = [
  "row_count",
  "row_count_vs_history",
  "delta_vs_published",
  "group_size",
  "group_count",
  "unique_key",
  "lookalike_keys",
  "key_churn",
  "equation",
  "traceable",
  "measure_conserved",
  "parses",
  "range",
  "one_of",
  "none_of",
  "matches",
  "length",
  "null_rate",
  "row_rule",
  "references",
  "category_share",
  "quantile",
  "psi",
  "schema_exact",
  "balance",
  "control_total",
  "versus_published",
  "max_age",
  "no_future",
  "due_by",
  "coverage",
  "quirk",
  "count",
  "custom_sql",
];

describe("vocabulary", () => {
  test("every check of the language is either built or named as not yet supported, never both", () => {
    const built = Object.keys(REGISTRY);
    expect([...built, ...NOT_BUILT_CHECKS].sort()).toEqual([...LANGUAGE].sort());
    expect(built.filter((name) => NOT_BUILT_CHECKS.has(name))).toEqual([]);
  });

  test("only the check of waived clauses cannot be named by a contract", () => {
    expect(Object.keys(CHECKS).filter((name) => !Object.hasOwn(REGISTRY, name))).toEqual(["not_applicable"]);
  });

  test("the common keys that each check heeds are written down for every check", () => {
    expect(Object.keys(HEEDED).sort()).toEqual(Object.keys(REGISTRY).sort());
  });

  test("lint and the csv reader know the same encodings", () => {
    expect(READ_ENCODINGS).toEqual(READABLE_ENCODINGS);
  });
});
