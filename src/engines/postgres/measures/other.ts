// Measures of what stands beside the clauses' own checks: quirk, custom_sql, not_applicable.
import { customSql } from "../../../domain/audits/custom-sql.ts";
import { quirk } from "../../../domain/audits/index.ts";
import { parseQualifiedName, type QualifiedName } from "../../../domain/identifier.ts";
import { checkSelect, renderTransform } from "../sql-grammar.ts";
import { Binds, type Measure, type MeasureContext, MeasureRefusal } from "./measure.ts";

/** A quirk is measured as the check that it holds; outside its days it is not in force. `measureOf` finds that check's measure. */
export const measureQuirkWith =
  (measureOf: (check: string) => Measure | undefined): Measure =>
  async (assertion, context) => {
    const a = quirk.parse(assertion);
    const day = context.clocks.run_start.slice(0, 10);
    if ((a.since !== undefined && day < a.since) || (a.until !== undefined && day > a.until)) {
      const binds = new Binds();
      return { sql: `SELECT jsonb_build_object('in_force', 'false', 'clock', ${binds.add(context.clocks.run_start, "text")}) AS measured`, values: binds.values };
    }
    const measure = measureOf(a.expect.check);
    if (measure === undefined) throw new MeasureRefusal(`${a.expect.check} cannot be measured inside a quirk`);
    return measure(a.expect, context);
  };

export const measureCustomSql: Measure = async (assertion, context) => {
  const a = customSql.parse(assertion);
  const text = new TextDecoder("utf-8", { fatal: true }).decode(await context.readFile(a.file));
  const inputs = context.contract.transform.inputs.map(parseQualifiedName).filter((name): name is QualifiedName => typeof name !== "string");
  const checked = await checkSelect(text, { inputs, placeholders: ["source", "staged", "excluded"] });
  if (!checked.ok) throw new MeasureRefusal(`${a.file}:${checked.line}:${checked.column}: ${checked.message}`);
  const { raw, staged, excluded } = context.relations;
  const query = await renderTransform(text, { source: raw, staged, excluded });
  return a.returns === "failing_rows"
    ? { sql: `SELECT count(*)::text AS violations, '{}'::jsonb AS measured FROM (\n${query}\n) AS failing`, values: [] }
    : // to_jsonb keeps the one column whatever its name; a second row or column makes the statement fail.
      { sql: `SELECT '1' AS rows_tested, jsonb_build_object('scalar', (SELECT scalar::text FROM (\n${query}\n) AS answer (scalar))) AS measured`, values: [] };
};

export const measureNotApplicable: Measure = async (_assertion, { clocks }: MeasureContext) => {
  const binds = new Binds();
  return { sql: `SELECT jsonb_build_object('today', ${binds.add(clocks.run_start.slice(0, 10), "text")}) AS measured`, values: binds.values };
};
