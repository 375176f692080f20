// The target: its name, its columns, their types, and the indexes of its versions.
import { parseQualifiedName, RESERVED_SCHEMAS } from "../../identifier.ts";
import { parseColumnType } from "../column-type.ts";
import { closest, errorAt, type Finding, shown, warningAt } from "../finding.ts";
import type { Rule } from "./rule.ts";
import { repeatedNames, SYSTEM_COLUMNS } from "./source.ts";

export const targetIsOurs: Rule = ({ target }) => {
  if (target === undefined) return [];
  const name = parseQualifiedName(target);
  if (typeof name === "string") return [];
  if (!RESERVED_SCHEMAS.includes(name.schema) && !name.schema.startsWith("pg_")) return [];
  return [errorAt(["target"], "reserved-schema", `no target may lie in the schema ${shown(name.schema)}`)];
};

export const columnsAreTyped: Rule = ({ target_schema: columns }) => {
  if (columns === undefined) return [];
  const found: Finding[] = [
    ...repeatedNames(
      columns.map((column) => column.name),
      ["target_schema"],
      ["name"],
    ),
  ];
  columns.forEach((column, index) => {
    const at = ["target_schema", index];
    if (SYSTEM_COLUMNS.has(column.name)) {
      found.push(
        errorAt([...at, "name"], "reserved-name", `${column.name} is a system column of PostgreSQL`),
      );
    }
    const type = parseColumnType(column.type);
    if (typeof type === "string") {
      found.push(errorAt([...at, "type"], "unknown-type", type));
      return;
    }
    if (type.family === "char") {
      found.push(
        warningAt(
          [...at, "type"],
          "char-n",
          "character(n) pads with blanks and ignores them when it compares; write text",
        ),
      );
    }
    if (type.family === "timestamp") {
      found.push(
        warningAt(
          [...at, "type"],
          "timestamp-without-zone",
          "a timestamp without time zone names no instant; write timestamp with time zone",
        ),
      );
    }
    if (column.collation !== undefined && type.family !== "text" && type.family !== "char") {
      found.push(errorAt([...at, "collation"], "collation", `${column.type} has no collation`));
    }
  });
  return found;
};

export const indexesFit: Rule = ({ target_schema: columns, promotion }) => {
  if (columns === undefined || promotion === undefined) return [];
  const names = columns.map((column) => column.name);
  return promotion.indexes.flatMap((index, position) =>
    index.columns.flatMap((name, place): Finding[] => {
      if (names.includes(name)) return [];
      const guess = closest(name, names);
      const hint = guess === null ? "" : `; did you mean ${shown(guess)}?`;
      const at = ["promotion", "indexes", position, "columns", place];
      return [errorAt(at, "unknown-column", `the target has no column ${shown(name)}${hint}`)];
    }),
  );
};
