// Measures of what stands beside the clauses' own checks: quirk, custom_sql, not_applicable.
import { customSql } from "../../../domain/audits/custom-sql.ts";
import { quirk } from "../../../domain/audits/index.ts";
import { notApplicable } from "../../../domain/audits/not-applicable.ts";
import { parseQualifiedName, type QualifiedName } from "../../../domain/identifier.ts";
import { checkSelect, renderTransform } from "../sql-grammar.ts";
import { Binds, type Measure, MeasureRefusal, refuseVolatile } from "./measure.ts";
import { readText } from "./read-text.ts";

/** A quirk is measured as the check that it holds; outside its days it is not in force. `measureOf` finds that check's measure. */
export const measureQuirkWith =
  (measureOf: (check: string) => Measure | undefined): Measure =>
  async (assertion, scope) => {
    const a = quirk.parse(assertion);
    const day = scope.clocks.run_start.slice(0, 10);
    if ((a.since !== undefined && day < a.since) || (a.until !== undefined && day > a.until)) {
      const binds = new Binds();
      const clock = binds.add(scope.clocks.run_start, "text");
      return {
        sql: `SELECT jsonb_build_object('in_force', 'false', 'clock', ${clock}) AS measured`,
        values: binds.values,
      };
    }
    const measure = measureOf(a.expect.check);
    if (measure === undefined)
      throw new MeasureRefusal(`${a.expect.check} cannot be measured inside a quirk`);
    return measure(a.expect, scope);
  };

/** Rows tested are the stage's. A scalar of a second row or column makes the statement fail; one that is no number, too. */
export const measureCustomSql: Measure = async (assertion, scope) => {
  const a = customSql.parse(assertion);
  const text = await readText(a.file, scope);
  const inputs = scope.contract.transform.inputs
    .map(parseQualifiedName)
    .filter((name): name is QualifiedName => typeof name !== "string");
  const checked = await checkSelect(text, { inputs, placeholders: ["source", "staged", "excluded"] });
  if (!checked.ok)
    throw new MeasureRefusal(`${a.file}:${checked.line}:${checked.column}: ${checked.message}`);
  refuseVolatile(checked.functions, scope, a.file);
  const { raw, staged, excluded } = scope.relations;
  const query = await renderTransform(text, { source: raw, staged, excluded });
  const answer =
    a.returns === "failing_rows"
      ? `(SELECT count(*) FROM (\n${query}\n) AS failing)::text AS violations`
      : `jsonb_build_object('scalar', (\n${query}\n)::text::numeric::text) AS measured`;
  return { sql: `SELECT (SELECT count(*) FROM ${staged})::text AS rows_tested, ${answer}`, values: [] };
};

export const measureNotApplicable: Measure = async (assertion, { clocks }) => {
  notApplicable.parse(assertion);
  const binds = new Binds();
  const today = binds.add(clocks.run_start.slice(0, 10), "text");
  return { sql: `SELECT jsonb_build_object('today', ${today}) AS measured`, values: binds.values };
};
