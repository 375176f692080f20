// Common keys that a check would not heed: a key that is read and then ignored would promise more than is measured.
import type { AssertionKeys } from "../assertion.ts";
import { errorAt, type Finding } from "../finding.ts";
import { type AssertionFact, assertionFacts, isRecord } from "./facts.ts";
import type { Rule } from "./rule.ts";

type Heeded = Exclude<keyof AssertionKeys, "check" | "level" | "why" | "owner">;

const rows = ["of", "where", "on_empty"] as const;
const eachRow = [...rows, "allow", "on_null", "sample"] as const;

/** Every check measures what its measure says; `test/domain/contract/lint-keys.test.ts` holds the list complete. */
export const HEEDED: Readonly<Record<string, readonly Heeded[]>> = {
  row_count: rows,
  unique_key: [...rows, "allow"],
  equation: ["on_empty"],
  traceable: ["allow", "on_empty"],
  parses: ["allow", "on_empty"],
  range: eachRow,
  one_of: eachRow,
  matches: eachRow,
  references: eachRow,
  row_rule: eachRow,
  null_rate: rows,
  schema_exact: ["on_empty"],
  balance: ["group_by", "allow", "on_empty"],
  max_age: rows,
  no_future: [...rows, "allow", "on_null"],
  count: rows,
  custom_sql: ["allow"],
  quirk: [],
};

const KEYS: readonly Heeded[] = ["of", "where", "group_by", "allow", "on_empty", "on_null", "sample"];

function unheeded(fact: AssertionFact): readonly Finding[] {
  const heeded = HEEDED[fact.check];
  if (heeded === undefined) return [];
  return KEYS.flatMap((key): Finding[] => {
    const value = fact.keys[key];
    if (value === undefined || heeded.includes(key) || (key === "on_empty" && value === "fail")) return [];
    if (fact.check === "parses" && key === "of" && value === "raw") return [];
    const hint =
      key === "group_by"
        ? "this version cannot measure it group by group"
        : fact.check === "quirk"
          ? "write it under `expect`"
          : fact.check === "balance" && (key === "of" || key === "where")
            ? "write `from` and `where` on its sides"
            : "it would not be heeded";
    return [
      errorAt([...fact.path, key], "key-not-used", `${fact.check} has no use for "${key}": ${hint}`, "key"),
    ];
  });
}

export const everyKeyIsHeeded: Rule = (draft) => assertionFacts(draft).flatMap(unheeded);

const needs = (fact: AssertionFact, message: string): readonly Finding[] => [
  errorAt(fact.path, "missing-key", message),
];

/** Keys that a check needs together, or cannot have together. */
export const keysBelongTogether: Rule = (draft) =>
  assertionFacts(draft).flatMap((fact): readonly Finding[] => {
    const { check, keys } = fact;
    if (check === "count") {
      const found: Finding[] = [];
      if ((keys["where"] === undefined) === (keys["from"] === undefined)) {
        found.push(...needs(fact, "count needs either `where` (a condition) or `from` (excluded.<reason>)"));
      }
      if ((keys["rows"] === undefined) === (keys["rate"] === undefined)) {
        found.push(...needs(fact, "count needs either `rows` or `rate`, with min, max or both"));
      }
      return found;
    }
    if (check === "custom_sql") {
      const bounds = keys["expect"];
      const bounded = isRecord(bounds) && Object.keys(bounds).length > 0;
      if (keys["returns"] === "scalar" && !bounded)
        return needs(fact, "a scalar needs `expect`: equals, or min, max or both");
      if (keys["returns"] === "failing_rows" && bounds !== undefined) {
        return [
          errorAt(
            [...fact.path, "expect"],
            "key-not-used",
            "failing_rows expects no row; remove expect",
            "key",
          ),
        ];
      }
      if (isRecord(bounds) && bounds["equals"] !== undefined && Object.keys(bounds).length > 1) {
        return [
          errorAt([...fact.path, "expect"], "key-not-used", "write either equals, or min and max", "key"),
        ];
      }
    }
    if (check === "balance" && keys["group_by"] !== undefined) {
      return ["left", "right"].flatMap((side) => {
        const block = keys[side];
        if (!isRecord(block) || block["value"] === undefined) return [];
        return [
          errorAt(
            [...fact.path, side, "value"],
            "key-not-used",
            "a fixed value cannot be compared group by group",
            "key",
          ),
        ];
      });
    }
    if (check === "balance" && keys["exclude"] !== undefined && keys["group_by"] === undefined) {
      return [
        errorAt(
          [...fact.path, "exclude"],
          "key-not-used",
          "groups are left out by their key: exclude needs group_by",
          "key",
        ),
      ];
    }
    if (check === "parses" && keys["thousands"] !== undefined && keys["thousands"] === keys["decimal"]) {
      return [errorAt([...fact.path, "thousands"], "dialect", "decimal and thousands are the same mark")];
    }
    return [];
  });
