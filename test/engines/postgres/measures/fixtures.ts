// Four fixtures of every check: one that passes, one that fails, one with nothing to test, one with nulls (case 23).
import type { Observed, Verdict } from "../../../../src/domain/audits/check.ts";
import type { CheckName } from "../../../../src/domain/audits/index.ts";
import type { Assertion, Data, Row } from "./lab.ts";

export const KINDS = ["passing", "failing", "empty", "nulls"] as const;
export type Kind = (typeof KINDS)[number];

export interface Fixture {
  readonly data: Data;
  readonly assertion: Assertion;
  readonly verdict: Verdict;
  readonly observed: Partial<Observed>;
  /** Part of the finding. */
  readonly says: string;
}

const row = (id: string | null, cells: Readonly<Record<string, string | null>> = {}): Row => [
  id,
  cells["code"] ?? null,
  cells["amount"] ?? null,
  cells["rate"] ?? null,
  cells["day"] ?? null,
  cells["at"] ?? null,
];
const codes = (...values: readonly (string | null)[]): Row[] =>
  values.map((code, n) => row(`${n + 1}`, { code }));
const amounts = (...values: readonly (string | null)[]): Row[] =>
  values.map((amount, n) => row(`${n + 1}`, { amount }));
const times = (...values: readonly (string | null)[]): Row[] =>
  values.map((at, n) => row(`${n + 1}`, { at }));

const NOTHING = "nothing was tested";
const nothing = (assertion: Assertion): Fixture => ({
  data: {},
  assertion,
  verdict: "fail",
  observed: { rows_tested: "0" },
  says: NOTHING,
});

const fixture = (
  data: Data,
  assertion: Assertion,
  verdict: Verdict,
  observed: Partial<Observed>,
  says: string,
): Fixture => ({ data, assertion, verdict, observed, says });

const key: Assertion = { check: "unique_key", columns: ["id", "code"] };
const ledger: Assertion = {
  check: "equation",
  left: "landed",
  right: ["staged", "excluded.test_order"],
};
const traced: Assertion = { check: "traceable", raw_key: ["id"] };
const cells: Assertion = { check: "parses", columns: ["id", "amount", "day"] };
const between: Assertion = { check: "range", column: "amount", min: "0", max: "9.99" };
const listed: Assertion = { check: "one_of", column: "code", values: ["A", "B"] };
const shaped: Assertion = { check: "matches", column: "code", pattern: "\\d{5}-\\d{3}" };
const known: Assertion = { check: "null_rate", column: "code", max: "0.5" };
const ruled: Assertion = { check: "row_rule", expr: "amount < 10" };
const found: Assertion = { check: "references", column: "code", to: "ref.codes.code" };
const parents =
  "DROP TABLE IF EXISTS ref.codes; CREATE TABLE ref.codes (code text); INSERT INTO ref.codes VALUES ('A'), (null)";
const exact: Assertion = { check: "schema_exact" };
const sums: Assertion = {
  check: "balance",
  left: { from: "raw", sum: "amount" },
  right: { from: "staged", sum: "amount" },
};
const raw = (...values: readonly (string | null)[]): Row[] => values.map((amount) => row("1", { amount }));
const fresh: Assertion = { check: "max_age", column: "at", at_most: "36h" };
const past: Assertion = { check: "no_future", column: "at", skew: "5m" };
const counted: Assertion = { check: "count", where: "code = 'A'", rows: { min: "1", max: "2" } };
const own: Assertion = { check: "custom_sql", file: "a.sql", returns: "failing_rows" };
const files = { "a.sql": "SELECT 1 FROM {{staged}} AS s WHERE s.amount < 0 OR s.amount IS NULL;" };
const odd: Assertion = { check: "quirk", why: "the feed is odd", expect: { ...counted } };
const waived: Assertion = {
  check: "not_applicable",
  reason: "new feed",
  approved_by: "@lena",
  expires: "2026-12-31",
};

export const FIXTURES: Readonly<Record<CheckName, Readonly<Record<Kind, Fixture>>>> = {
  row_count: {
    passing: fixture(
      { staged: codes("A", "B") },
      { check: "row_count", min: "2", max: "2" },
      "pass",
      { measured: { rows: "2" } },
      "is 2",
    ),
    failing: fixture(
      { staged: codes("A") },
      { check: "row_count", min: "2" },
      "fail",
      { rows_tested: "1" },
      "at least 2 expected",
    ),
    empty: nothing({ check: "row_count", min: "0", max: "9" }),
    nulls: fixture(
      { staged: codes(null, null, null) },
      { check: "row_count", max: "2" },
      "fail",
      { rows_tested: "3" },
      "at most 2 expected",
    ),
  },
  unique_key: {
    passing: fixture(
      { staged: [row("1", { code: "A" }), row("1", { code: "B" })] },
      key,
      "pass",
      { violations: "0", measured: { keys: "2", duplicates: "0", null_keys: "0" } },
      "all 2 rows",
    ),
    failing: fixture(
      { staged: [row("1", { code: "A" }), row("1", { code: "A" }), row("2", { code: "A" })] },
      key,
      "fail",
      { violations: "1", rows_tested: "3" },
      "1 repeat another row's",
    ),
    empty: nothing(key),
    // A unique index allows two of them.
    nulls: fixture(
      { staged: [row("1"), row("1"), row("2", { code: "A" })] },
      key,
      "fail",
      { violations: "2", null_count: "2" },
      "2 have a null in it",
    ),
  },
  equation: {
    passing: fixture(
      { staged: codes("A", "B"), counts: { landed: "3", "excluded.test_order": "1" } },
      ledger,
      "pass",
      { measured: { landed: "3", staged: "2", "excluded.test_order": "1" } },
      "3 landed = 2 staged + 1 excluded.test_order",
    ),
    failing: fixture(
      { staged: codes("A", "B"), counts: { landed: "28", "excluded.test_order": "1" } },
      ledger,
      "fail",
      {},
      "28 landed = 2 staged + 1 excluded.test_order + 25 unexplained",
    ),
    empty: { ...nothing(ledger), data: { counts: { landed: "0" } } },
    nulls: fixture({ staged: codes("A") }, ledger, "error", { rows_tested: null }, "landed was not counted"),
  },
  traceable: {
    passing: fixture(
      { raw: [row("007"), row("8"), row("9")], staged: [row("7"), row("8")], excluded: [[3, "old"]] },
      traced,
      "pass",
      { rows_tested: "2", violations: "0" },
      "all 2 keys",
    ),
    // One record is dropped and another one doubled: the counts alone agree.
    failing: fixture(
      { raw: [row("1"), row("2")], staged: [row("1"), row("1")] },
      traced,
      "fail",
      { violations: "2", measured: { raw_without_stage: "1", stage_without_raw: "0", too_many: "1" } },
      "2 of 2 keys",
    ),
    empty: nothing(traced),
    nulls: fixture(
      { raw: [row("1"), row(null)], staged: [row("1")] },
      traced,
      "fail",
      { violations: "1" },
      "1 with too few rows",
    ),
  },
  parses: {
    passing: fixture(
      { raw: [row("1", { amount: "-2.50", day: "2026-02-28" })] },
      cells,
      "pass",
      { measured: { id: "0", amount: "0", day: "0" }, of: "raw" },
      "parse in 3 columns",
    ),
    failing: fixture(
      { raw: [row("1"), row("D1", { day: "2026-02-29" })] },
      cells,
      "fail",
      { violations: "1", measured: { id: "1", amount: "0", day: "1" } },
      "cells: id 1, day 1",
    ),
    empty: nothing(cells),
    nulls: fixture(
      { raw: [row(null), row("1")] },
      cells,
      "pass",
      { violations: "0", rows_tested: "2" },
      "all 2 records",
    ),
  },
  range: {
    passing: fixture(
      { staged: amounts("0", "9.99") },
      between,
      "pass",
      { measured: { min: "0.00", max: "9.99" } },
      "all 2 values of amount lie within from 0 to 9.99",
    ),
    failing: fixture(
      { staged: amounts("0", "10.00") },
      between,
      "fail",
      { violations: "1" },
      "1 of 2 values of amount do not lie",
    ),
    empty: nothing(between),
    nulls: fixture(
      { staged: amounts("1", null) },
      between,
      "pass",
      { violations: "0", null_count: "1" },
      "1 null",
    ),
  },
  one_of: {
    passing: fixture({ staged: codes("A", "B") }, listed, "pass", { violations: "0" }, "in the list"),
    failing: fixture({ staged: codes("A", "a") }, listed, "fail", { violations: "1" }, "1 of 2"),
    empty: nothing(listed),
    nulls: fixture(
      { staged: codes("A", null) },
      { ...listed, on_null: "violation" },
      "fail",
      { violations: "1", null_count: "1" },
      "1 null",
    ),
  },
  matches: {
    passing: fixture({ staged: codes("12345-678") }, shaped, "pass", { violations: "0" }, "match"),
    failing: fixture({ staged: codes("ABC", "12345-678") }, shaped, "fail", { violations: "1" }, "1 of 2"),
    empty: nothing(shaped),
    nulls: fixture(
      { staged: codes("12345-678", null) },
      { ...shaped, on_null: "violation" },
      "fail",
      { violations: "1", null_count: "1" },
      "1 null",
    ),
  },
  null_rate: {
    passing: fixture(
      { staged: codes("A", null) },
      known,
      "pass",
      { null_count: "1", rows_tested: "2" },
      "1 of 2",
    ),
    failing: fixture(
      { staged: codes("A", null, null) },
      known,
      "fail",
      { null_count: "2" },
      "at most 0.5 expected",
    ),
    empty: nothing(known),
    nulls: fixture({ staged: codes(null) }, known, "fail", { null_count: "1", rows_tested: "1" }, "1 of 1"),
  },
  row_rule: {
    passing: fixture({ staged: amounts("1", "2") }, ruled, "pass", { violations: "0" }, "fulfil amount < 10"),
    failing: fixture({ staged: amounts("1", "20") }, ruled, "fail", { violations: "1" }, "do not fulfil"),
    empty: nothing(ruled),
    nulls: fixture(
      { staged: amounts("1", null) },
      ruled,
      "fail",
      { violations: "1", null_count: "1" },
      "for 1 it is null",
    ),
  },
  references: {
    passing: fixture(
      { setup: parents, staged: codes("A", "A") },
      found,
      "pass",
      { violations: "0", rows_tested: "2" },
      "found in ref.codes.code",
    ),
    // NOT IN over a list with a null finds nothing.
    failing: fixture(
      { setup: parents, staged: codes("A", "B") },
      found,
      "fail",
      { violations: "1" },
      "1 of 2",
    ),
    empty: { ...nothing(found), data: { setup: parents } },
    nulls: fixture(
      { setup: parents, staged: codes("A", null) },
      { ...found, on_null: "violation" },
      "fail",
      { violations: "1", null_count: "1" },
      "1 null",
    ),
  },
  schema_exact: {
    passing: fixture(
      { staged: codes("A") },
      exact,
      "pass",
      { measured: { columns: "6", differences: "", "nulls in id": "0" } },
      "6 columns as declared",
    ),
    failing: fixture(
      { built: "id bigint, code text, amount numeric(12,2), rate double precision, day date, at timestamp" },
      exact,
      "fail",
      {},
      "column 3 is amount numeric(12,2), declared is amount numeric(10,2)",
    ),
    empty: nothing(exact),
    nulls: fixture({ staged: [row(null), row("1")] }, exact, "fail", { rows_tested: "2" }, "1 nulls in id"),
  },
  balance: {
    passing: fixture(
      { raw: raw("1.5", "2"), staged: amounts("3.50") },
      sums,
      "pass",
      {
        measured: {
          left: "3.5",
          right: "3.50",
          largest_difference: "0.00",
          excluded: "0",
          excluded_keys: "0",
        },
      },
      "agree",
    ),
    failing: fixture(
      { raw: raw("1.5", "2"), staged: amounts("3.49") },
      sums,
      "fail",
      { violations: "1" },
      "3.5 and 3.49",
    ),
    empty: nothing(sums),
    nulls: fixture(
      { raw: raw(null), staged: amounts(null) },
      sums,
      "fail",
      { violations: "1", null_count: "1" },
      "1 without a value",
    ),
  },
  max_age: {
    passing: fixture(
      { staged: times("2026-10-27T00:00:00Z", "2026-10-26T09:00:00Z") },
      fresh,
      "pass",
      { clock: "2026-10-27T21:00:00Z" },
      "newest at is 2026-10-27T00:00:00Z, 21 h 00 min before 2026-10-27T21:00:00Z",
    ),
    failing: fixture({ staged: times("2026-10-17T21:00:00Z") }, fresh, "fail", {}, "at most 36h expected"),
    empty: nothing(fresh),
    nulls: fixture({ staged: times(null) }, fresh, "fail", { null_count: "1" }, "there is no newest at"),
  },
  no_future: {
    passing: fixture(
      { staged: times("2026-10-27T21:05:00Z") },
      past,
      "pass",
      { violations: "0" },
      "not later than",
    ),
    failing: fixture(
      { staged: times("2026-10-27T21:05:01Z") },
      past,
      "fail",
      { violations: "1" },
      "are later than",
    ),
    empty: nothing(past),
    nulls: fixture(
      { staged: times("2026-10-01T00:00:00Z", null) },
      { ...past, on_null: "violation" },
      "fail",
      { violations: "1", null_count: "1" },
      "1 null",
    ),
  },
  count: {
    passing: fixture({ staged: codes("A", "B") }, counted, "pass", { measured: { count: "1" } }, "is 1"),
    failing: fixture(
      { staged: codes("A", "A", "A") },
      counted,
      "fail",
      { measured: { count: "3" } },
      "at most 2 expected",
    ),
    empty: nothing(counted),
    nulls: fixture(
      { staged: codes(null, null) },
      counted,
      "fail",
      { measured: { count: "0" }, rows_tested: "2" },
      "at least 1 expected",
    ),
  },
  custom_sql: {
    passing: fixture(
      { files, staged: amounts("1") },
      own,
      "pass",
      { violations: "0", rows_tested: "1" },
      "a.sql finds none",
    ),
    failing: fixture(
      { files, staged: amounts("1", "-1") },
      own,
      "fail",
      { violations: "1" },
      "found by a.sql",
    ),
    empty: { ...nothing(own), data: { files } },
    nulls: fixture(
      { files: { "a.sql": "SELECT sum(amount) FROM {{staged}}" }, staged: amounts(null) },
      { ...own, returns: "scalar", expect: { min: "0" } },
      "fail",
      { measured: { scalar: null } },
      "a.sql is null",
    ),
  },
  quirk: {
    passing: fixture({ staged: codes("A") }, odd, "pass", { measured: { count: "1" } }, "is 1"),
    failing: fixture(
      { staged: codes("B") },
      odd,
      "fail",
      { measured: { count: "0" } },
      "at least 1 expected",
    ),
    empty: nothing(odd),
    nulls: fixture(
      { staged: codes(null) },
      { ...odd, expect: { check: "row_rule", expr: "code = 'A'" } },
      "fail",
      { null_count: "1" },
      "for 1 it is null",
    ),
  },
  // A waiver tests no row: it holds whatever was built, until its last day.
  not_applicable: {
    passing: fixture(
      { staged: codes("A") },
      waived,
      "pass",
      { measured: { today: "2026-10-27" } },
      "new feed",
    ),
    failing: fixture(
      { staged: codes("A") },
      { ...waived, expires: "2026-10-26" },
      "fail",
      {},
      "ended on 2026-10-26",
    ),
    empty: fixture({}, waived, "pass", { rows_tested: null }, "new feed"),
    nulls: fixture(
      { staged: codes(null) },
      { check: "not_applicable", reason: "new feed", approved_by: "@lena" },
      "pass",
      {},
      "says @lena",
    ),
  },
};
