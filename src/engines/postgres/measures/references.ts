// Measure of references: an anti-join, so that a null in the referenced column hides nothing.
import { parseReferencedColumn, references } from "../../../domain/audits/references.ts";
import { quoteIdentifier, quoteQualified } from "../../../domain/identifier.ts";
import {
  Binds,
  column,
  isText,
  type Measure,
  MeasureRefusal,
  nullsViolate,
  testedColumn,
} from "./measure.ts";
import { rowByRow } from "./row-by-row.ts";

export const measureReferences: Measure = async (assertion, scope) => {
  const a = references.parse(assertion);
  const { type, nulls } = testedColumn(a.column, a, scope);
  const to = parseReferencedColumn(a.to);
  if (typeof to === "string") throw new MeasureRefusal(to);
  // Two columns of text may have two collations; bytes decide, as in every other check.
  const collate = isText(type) ? ' COLLATE "C"' : "";
  const keys = `SELECT DISTINCT ${quoteIdentifier(to.column)}${collate} AS key FROM ${quoteQualified(to.relation)}`;
  const conditions = {
    join: `LEFT JOIN (${keys}) AS referenced ON referenced.key = ${column(a.column)}${collate}`,
    breaks: "referenced.key IS NULL",
    isNull: `${column(a.column)} IS NULL`,
    nullsViolate: nullsViolate(a, nulls),
  };
  return rowByRow(a, scope, conditions, new Binds());
};
