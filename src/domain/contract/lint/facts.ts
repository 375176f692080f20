// The assertions of a draft as rules see them: with their clause, their path, and what a quirk expects beside the quirk.
import { CLAUSES, type Clause } from "../../clauses.ts";
import { type ColumnType, parseColumnType } from "../column-type.ts";
import type { Draft } from "../draft.ts";
import type { Segment } from "../finding.ts";

export interface AssertionFact {
  readonly clause: Clause;
  readonly name: string;
  readonly path: readonly Segment[];
  readonly check: string;
  readonly keys: Readonly<Record<string, unknown>>;
  /** What is measured, as far as the contract says: `raw` or the candidate. */
  readonly of: "raw" | "staged";
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textOf = (keys: Readonly<Record<string, unknown>>, key: string): string | null => {
  const value = keys[key];
  return typeof value === "string" ? value : null;
};

/** The texts of a list, or of one text, with their paths below the assertion. */
export function textsOf(
  keys: Readonly<Record<string, unknown>>,
  key: string,
): readonly (readonly [text: string, path: readonly Segment[]])[] {
  const value = keys[key];
  if (typeof value === "string") return [[value, [key]]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) => (typeof item === "string" ? [[item, [key, index]] as const] : []));
}

/** Every assertion that parses; what a quirk expects comes as a fact of its own. */
export function assertionFacts(draft: Draft): readonly AssertionFact[] {
  return CLAUSES.flatMap((clause) =>
    draft.clauses[clause].assertions.flatMap(([name, assertion]): AssertionFact[] => {
      const path = ["clauses", clause, name];
      const of =
        assertion.of === "raw" || (assertion.of === undefined && assertion.check === "parses")
          ? "raw"
          : "staged";
      const fact: AssertionFact = { clause, name, path, check: assertion.check, keys: assertion, of };
      const expected = assertion["expect"];
      if (assertion.check !== "quirk" || !isRecord(expected)) return [fact];
      const inner = textOf(expected, "check") ?? "count";
      return [
        fact,
        {
          ...fact,
          path: [...path, "expect"],
          check: inner,
          keys: expected,
          of: expected["of"] === "raw" ? "raw" : of,
        },
      ];
    }),
  );
}

/** Types of the target's columns by name; columns whose type is not understood are left out. */
export function targetTypes(draft: Draft): ReadonlyMap<string, ColumnType> {
  const types = new Map<string, ColumnType>();
  for (const column of draft.target_schema ?? []) {
    const type = parseColumnType(column.type);
    if (typeof type !== "string") types.set(column.name, type);
  }
  return types;
}
