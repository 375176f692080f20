// The vocabulary of checks: one file each, one line here.
import { balance } from "./balance.ts";
import { count } from "./count.ts";
import { customSql } from "./custom-sql.ts";
import type { RegisteredCheck } from "./define-check.ts";
import { equation } from "./equation.ts";
import { matches } from "./matches.ts";
import { maxAge } from "./max-age.ts";
import { noFuture } from "./no-future.ts";
import { notApplicable } from "./not-applicable.ts";
import { nullRate } from "./null-rate.ts";
import { oneOf } from "./one-of.ts";
import { parses } from "./parses.ts";
import { quirkOver } from "./quirk.ts";
import { range } from "./range.ts";
import { references } from "./references.ts";
import { rowCount } from "./row-count.ts";
import { rowRule } from "./row-rule.ts";
import { schemaExact } from "./schema-exact.ts";
import { traceable } from "./traceable.ts";
import { uniqueKey } from "./unique-key.ts";

const simple = {
  row_count: rowCount,
  unique_key: uniqueKey,
  equation,
  traceable,
  parses,
  range,
  one_of: oneOf,
  matches,
  null_rate: nullRate,
  row_rule: rowRule,
  references,
  schema_exact: schemaExact,
  balance,
  max_age: maxAge,
  no_future: noFuture,
  count,
  custom_sql: customSql,
  not_applicable: notApplicable,
};

const simpleCheck = (name: string): RegisteredCheck | undefined =>
  isSimple(name) ? simple[name] : undefined;
const isSimple = (name: string): name is keyof typeof simple => Object.hasOwn(simple, name);

export const quirk = quirkOver(simpleCheck);

/** Every check that this version measures. */
export const CHECKS = { ...simple, quirk };
export type CheckName = keyof typeof CHECKS;

export const isCheckName = (name: string): name is CheckName => Object.hasOwn(CHECKS, name);

/** The check of an assertion, without its keys' types. */
export const checkNamed = (name: string): RegisteredCheck | undefined =>
  isCheckName(name) ? CHECKS[name] : undefined;
