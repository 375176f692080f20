// references: every value is found in another relation's column (an anti-join; a null there hides nothing).
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";
import { parseQualifiedName, type QualifiedName } from "../identifier.ts";
import { defineCheck } from "./define-check.ts";
import { judgeViolations, nullsText } from "./verdict.ts";

export interface ReferencedColumn {
  readonly relation: QualifiedName;
  readonly column: string;
}

/** Parses `schema.relation.column` (a part with a dot or a space in double quotes), or says what is wrong. */
export function parseReferencedColumn(text: string): ReferencedColumn | string {
  const match = /^(.+)\.(?:"([^"]+)"|([^".\s]+))$/u.exec(text);
  const relation = match?.[1] === undefined ? "write schema.relation.column" : parseQualifiedName(match[1]);
  if (typeof relation === "string") return `write schema.relation.column, not ${JSON.stringify(text)}`;
  const column = match?.[2] ?? match?.[3] ?? "";
  return sqlName.safeParse(column).success
    ? { relation, column }
    : `${JSON.stringify(column)} is not a column's name`;
}

const target = z.string("write schema.relation.column").superRefine((text, context) => {
  const parsed = parseReferencedColumn(text);
  if (typeof parsed === "string") context.addIssue({ code: "custom", message: parsed });
});

export const references = defineCheck({
  name: "references",
  clauses: ["bounds"],
  heeds: ["of", "where", "allow", "on_empty", "on_null", "sample"],
  keys: {
    column: sqlName,
    to: target.describe("schema.relation.column; the auditor's login has to be allowed to read it."),
  },
  expectation: (a) => `each ${a.column} is found in ${a.to}`,
  judge: (a, m) =>
    judgeViolations(a, m, {
      subject: `values of ${a.column}`,
      hold: `are found in ${a.to}`,
      fail: `are not found in ${a.to}`,
      details: [nullsText(m)],
    }),
});
