// Which measure answers which check: complete, so that a check without one does not compile.
import type { CheckName } from "../../../domain/audits/index.ts";
import { measureBalance } from "./balance.ts";
import { measureMatches, measureNullRate, measureOneOf, measureRange, measureRowRule } from "./bounds.ts";
import { measureEquation, measureTraceable } from "./conservation.ts";
import { measureMaxAge, measureNoFuture } from "./freshness.ts";
import type { Measure } from "./measure.ts";
import { measureCustomSql, measureNotApplicable, measureQuirkWith } from "./other.ts";
import { measureParses } from "./parses.ts";
import { measureReferences } from "./references.ts";
import { measureSchemaExact } from "./schema-exact.ts";
import { measureCount, measureRowCount, measureUniqueKey } from "./volume-grain.ts";

export const MEASURES: Readonly<Record<CheckName, Measure>> = {
  row_count: measureRowCount,
  unique_key: measureUniqueKey,
  equation: measureEquation,
  traceable: measureTraceable,
  parses: measureParses,
  range: measureRange,
  one_of: measureOneOf,
  matches: measureMatches,
  null_rate: measureNullRate,
  row_rule: measureRowRule,
  references: measureReferences,
  schema_exact: measureSchemaExact,
  balance: measureBalance,
  max_age: measureMaxAge,
  no_future: measureNoFuture,
  count: measureCount,
  custom_sql: measureCustomSql,
  not_applicable: measureNotApplicable,
  quirk: measureQuirkWith((check) => measureOf(check)),
};

export const measureOf = (check: string): Measure | undefined =>
  isMeasured(check) ? MEASURES[check] : undefined;
const isMeasured = (check: string): check is CheckName => Object.hasOwn(MEASURES, check);
