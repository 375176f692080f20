// Columns that assertions name: they exist where the assertion measures, and their types can carry the check.
import { isZeroDecimal, parseDecimal } from "../../decimal.ts";
import type { ColumnType } from "../column-type.ts";
import type { Draft } from "../draft.ts";
import { closest, errorAt, type Finding, type Segment, shown, warningAt } from "../finding.ts";
import { type AssertionFact, assertionFacts, isRecord, targetTypes, textOf, textsOf } from "./facts.ts";
import type { Rule } from "./rule.ts";
import { SOURCE_ROW } from "./source.ts";

interface Relation {
  readonly label: string;
  readonly names: readonly string[];
}

const relationOf = (draft: Draft, of: "raw" | "staged"): Relation | null => {
  if (of === "raw") {
    const columns = draft.source?.columns ?? [];
    return columns.length === 0 ? null : { label: "source.columns", names: [...columns, SOURCE_ROW] };
  }
  const columns = draft.target_schema;
  return columns === undefined
    ? null
    : { label: "target_schema", names: columns.map((column) => column.name) };
};

const missing = (relation: Relation | null, name: string, path: readonly Segment[]): readonly Finding[] => {
  if (relation === null || relation.names.includes(name)) return [];
  const guess = closest(name, relation.names);
  const hint = guess === null ? "" : `; did you mean ${shown(guess)}?`;
  return [errorAt(path, "unknown-column", `${relation.label} has no column ${shown(name)}${hint}`)];
};

/** The sides of a balance with the relation each reads; null where it is not the raw snapshot or the stage. */
function sides(
  fact: AssertionFact,
): readonly { path: Segment[]; keys: Readonly<Record<string, unknown>>; of: "raw" | "staged" | null }[] {
  return ["left", "right"].flatMap((side) => {
    const keys = fact.keys[side];
    if (!isRecord(keys)) return [];
    const from = textOf(keys, "from");
    const of = from === null ? fact.of : from === "raw" || from === "staged" ? from : null;
    return [{ path: [...fact.path, side], keys, of }];
  });
}

export const namedColumnsExist: Rule = (draft) =>
  assertionFacts(draft).flatMap((fact): readonly Finding[] => {
    const raw = relationOf(draft, "raw");
    const staged = relationOf(draft, "staged");
    const measured = fact.of === "raw" ? raw : staged;
    const found: Finding[] = [];
    /** A name has to stand in every relation of `where`; the first that lacks it is told. */
    const look = (
      keys: Readonly<Record<string, unknown>>,
      key: string,
      where: readonly (Relation | null)[],
      path: readonly Segment[],
    ): void => {
      for (const [name, inside] of textsOf(keys, key)) {
        if (key === "columns" && name === "all" && inside.length === 1) continue;
        const lacking = where.map((relation) => missing(relation, name, [...path, ...inside]));
        found.push(...(lacking.find((findings) => findings.length > 0) ?? []));
      }
    };
    // Types and nullability are the target's, also where cells of the raw snapshot are tested.
    look(fact.keys, "column", [measured, staged], fact.path);
    look(fact.keys, "columns", fact.check === "parses" ? [raw, staged] : [measured], fact.path);
    look(fact.keys, "raw_key", [raw, staged], fact.path);
    if (isRecord(fact.keys["sample"])) {
      const path = [...fact.path, "sample"];
      for (const key of ["columns", "hide"]) look(fact.keys["sample"], key, [measured], path);
    }
    if (fact.check !== "balance") {
      look(fact.keys, "group_by", [measured], fact.path);
      return found;
    }
    for (const side of sides(fact)) {
      const where = [side.of === null ? null : relationOf(draft, side.of)];
      look(side.keys, "sum", where, side.path);
      look(fact.keys, "group_by", where, fact.path);
    }
    return found;
  });

const ZONE_KINDS: Readonly<Record<string, string>> = {
  date: "a date",
  timestamp: "a timestamp without time zone",
};

const DAY = /^\d{4}-\d{2}-\d{2}/;

const rangeFits = (fact: AssertionFact, type: ColumnType | undefined): readonly Finding[] => {
  if (fact.check !== "range" || type === undefined) return [];
  if (type.array || ["text", "char", "boolean", "other"].includes(type.family)) {
    return [
      errorAt([...fact.path, "column"], "wrong-type", "a range needs a column of numbers, dates or times"),
    ];
  }
  const number = type.family === "exact" || type.family === "float";
  return ["min", "max"].flatMap((key): Finding[] => {
    const bound = textOf(fact.keys, key);
    if (bound === null || (number ? parseDecimal(bound) !== null : DAY.test(bound))) return [];
    return [
      errorAt(
        [...fact.path, key],
        "wrong-type",
        number ? "the column holds numbers: write a number" : "the column holds times: write YYYY-MM-DD",
      ),
    ];
  });
};

/** Types whose text `parses` can judge. */
const isReadable = (type: ColumnType, spelling: string): boolean =>
  !type.array &&
  type.family !== "interval" &&
  spelling !== "time with time zone" &&
  (type.family !== "other" || spelling === "uuid");

const cellsAreReadable = (
  fact: AssertionFact,
  draft: Draft,
  types: ReadonlyMap<string, ColumnType>,
): readonly Finding[] => {
  if (fact.check !== "parses") return [];
  const all = textOf(fact.keys, "columns") === "all";
  return (draft.target_schema ?? []).flatMap((column): Finding[] => {
    const type = types.get(column.name);
    const named = textsOf(fact.keys, "columns").find(([name]) => name === column.name);
    const asked = named !== undefined || (all && (draft.source?.columns ?? []).includes(column.name));
    if (!asked || type === undefined || isReadable(type, column.type.replace(/\(\d\)/, ""))) return [];
    const message = `parses cannot judge text of type ${column.type} (${shown(column.name)}); name the other columns`;
    return [errorAt([...fact.path, ...(named?.[1] ?? ["columns"])], "wrong-type", message)];
  });
};

const clockFits = (fact: AssertionFact, type: ColumnType | undefined): readonly Finding[] => {
  if ((fact.check !== "max_age" && fact.check !== "no_future") || type === undefined) return [];
  const at = [...fact.path, "column"];
  if (type.array || !["date", "timestamp", "timestamptz"].includes(type.family)) {
    return [errorAt(at, "wrong-type", "freshness is measured on a date or a timestamp")];
  }
  const kind = ZONE_KINDS[type.family];
  if (kind !== undefined && textOf(fact.keys, "zone") === null) {
    return [
      errorAt(at, "zone-missing", `${kind} names no instant: say its zone, for example zone: Europe/Oslo`),
    ];
  }
  return [];
};

const keyFits = (fact: AssertionFact, types: ReadonlyMap<string, ColumnType>): readonly Finding[] => {
  if (fact.check !== "unique_key" || fact.of === "raw") return [];
  return textsOf(fact.keys, "columns").flatMap(([name, inside]) => {
    const family = types.get(name)?.family;
    if (family === "char")
      return [
        warningAt(
          [...fact.path, ...inside],
          "char-n",
          `${shown(name)} is character(n): keys that differ in blanks count as equal`,
        ),
      ];
    if (family === "float")
      return [
        warningAt(
          [...fact.path, ...inside],
          "float-key",
          `${shown(name)} is a floating-point number; a key needs an exact type`,
        ),
      ];
    return [];
  });
};

const balanceIsExact = (fact: AssertionFact, types: ReadonlyMap<string, ColumnType>): readonly Finding[] => {
  if (fact.check !== "balance") return [];
  const tolerance = fact.keys["tolerance"];
  const bounds = isRecord(tolerance) ? [textOf(tolerance, "abs"), textOf(tolerance, "rel")] : [];
  const tolerant = bounds.some((bound) => {
    const value = bound === null ? null : parseDecimal(bound);
    return value !== null && !isZeroDecimal(value);
  });
  if (tolerant) return [];
  return sides(fact).flatMap((side) =>
    side.of !== "staged"
      ? []
      : textsOf(side.keys, "sum").flatMap(([name, inside]) =>
          types.get(name)?.family === "float"
            ? [
                errorAt(
                  [...side.path, ...inside],
                  "float-balance",
                  `sums of ${shown(name)} (floating point) depend on the order of the rows: declare it numeric, or state a tolerance above 0`,
                ),
              ]
            : [],
        ),
  );
};

export const typesCarryTheCheck: Rule = (draft) => {
  const types = targetTypes(draft);
  return assertionFacts(draft).flatMap((fact): readonly Finding[] => {
    const type = fact.of === "raw" ? undefined : types.get(textOf(fact.keys, "column") ?? "");
    return [
      ...rangeFits(fact, type),
      ...cellsAreReadable(fact, draft, types),
      ...clockFits(fact, type),
      ...keyFits(fact, types),
      ...balanceIsExact(fact, types),
    ];
  });
};
