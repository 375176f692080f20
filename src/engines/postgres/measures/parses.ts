// Measure of parses: records of the raw snapshot with a cell that could not become its column's type.
import { parses } from "../../../domain/audits/parses.ts";
import { isValueOf } from "./cell-text.ts";
import { Binds, column, type Measure, MeasureRefusal, subjectOf, testedRows } from "./measure.ts";
import { objectOf, sampleOf } from "./sample.ts";

export const measureParses: Measure = async (assertion, scope) => {
  const a = parses.parse(assertion);
  const { contract, rawColumns } = scope;
  if (subjectOf(a, "raw") !== "raw") throw new MeasureRefusal("parses reads the cells of the raw snapshot");
  if (a.thousands === a.decimal) throw new MeasureRefusal("decimal and thousands are the same mark");
  const binds = new Binds();
  const declared = contract.target_schema.filter(
    ({ name }) => rawColumns.includes(name) && (a.columns === "all" || a.columns.includes(name)),
  );
  const unknown =
    a.columns === "all" ? undefined : a.columns.find((name) => !declared.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new MeasureRefusal(`${unknown} is not a column of both the file and the target`);
  if (declared.length === 0)
    throw new MeasureRefusal("no column of the target has the name of a delivered column");
  const bad = declared.map(({ name, type }, n) => {
    const isValue = isValueOf(column(name), type, a, binds);
    if (isValue === null) throw new MeasureRefusal(`${name} is ${type}, whose text this check does not know`);
    return `(${column(name)} IS NOT NULL AND NOT (${isValue})) AS b${n}`;
  });
  // Each condition is computed once a record: OFFSET 0 keeps the planner from copying it into every count.
  const shown = a.sample === undefined ? [] : ["_src_row", ...declared.map(({ name }) => name)].map(column);
  const rows = `(SELECT ${[...shown, ...bad].join(", ")} FROM ${await testedRows(a, scope, "raw")} OFFSET 0) AS t`;
  const any = declared.map((_, n) => `b${n}`).join(" OR ");
  const counts = objectOf(
    declared.map(({ name }, n) => [name, `count(*) FILTER (WHERE b${n})`] as const),
    binds,
  );
  const sample = sampleOf(
    a,
    contract,
    {
      from: rows,
      where: any,
      cells: declared.map(({ name }, n) => [name, `CASE WHEN b${n} THEN ${column(name)} END`] as const),
      facts: [["_src_row", 't."_src_row"']],
    },
    binds,
  );
  return {
    sql: `SELECT count(*)::text AS rows_tested, count(*) FILTER (WHERE ${any})::text AS violations, ${counts} AS measured, ${sample} AS sample FROM ${rows}`,
    values: binds.values,
  };
};
