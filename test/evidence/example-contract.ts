// The contract of the example runs, and readings as its checks draw them.
import { readContract } from "../../src/contracts/read.ts";
import type { Measurement, Reading } from "../../src/domain/audits/check.ts";
import { checkNamed } from "../../src/domain/audits/index.ts";
import { declaredAudits } from "../../src/domain/audits/plan.ts";
import { sha256 } from "../../src/domain/fingerprint.ts";
import { parseRunId, type RunId } from "../../src/domain/run.ts";

export const CONTRACT_TEXT = `wap_contract: 1
id: nfl.plays
version: 3.1.0
contract_owner: {team: nfl-data, approvers: ["@acme/nfl-data", "@lena"]}
database: {consumer_role: analyst}
target: analytics.nfl_plays
refresh: full
source:
  kind: csv
  path: deliveries/play_by_play_2026.csv
  columns: [game_id, play_id, game_date, posteam, play_type, passing_yards, receiving_yards, epa]
  nulls: {tokens: ["NA"]}
transform: {sql: transforms/nfl_plays.sql, excluded_rows: transforms/nfl_plays_excluded.sql}
target_schema:
  - {name: game_id, type: text, nulls: never, collation: C}
  - {name: play_id, type: bigint, nulls: never}
  - {name: game_date, type: date, nulls: never}
  - {name: posteam, type: text, nulls: allowed, collation: C}
  - {name: play_type, type: text, nulls: allowed, collation: C}
  - {name: passing_yards, type: "numeric(5,0)", nulls: allowed}
  - {name: receiving_yards, type: "numeric(5,0)", nulls: allowed}
  - {name: epa, type: "numeric(9,6)", nulls: allowed}
promotion:
  retention: {versions: 2, age: 30d, observe_for: 1d}
clauses:
  volume:
    plays: {check: row_count, min: 40000, max: 60000}
  grain:
    play_key: {check: unique_key, columns: [game_id, play_id]}
  conservation:
    file_ledger: {check: equation, left: parsed, right: [landed, rejected]}
    row_ledger: {check: equation, left: landed, right: [staged, excluded.deleted_play, excluded.timeout_row]}
  bounds:
    epa_range: {check: range, column: epa, min: "-20", max: "20", sample: {rows: 3, columns: [game_id, posteam]}}
    play_type_set: {check: one_of, column: play_type, values: [run, pass, punt, kickoff]}
    epa_known: {check: null_rate, column: epa, max: "0.02"}
    few_punts: {check: row_rule, expr: "play_type <> 'punt'", allow: {rate: "0.05"}, level: advisory}
  reconciliation:
    pass_equals_receive:
      check: balance
      group_by: [game_id, posteam]
      left: {from: staged, sum: passing_yards}
      right: {from: staged, sum: receiving_yards}
      tolerance: {abs: "0"}
  freshness:
    newest_game: {check: max_age, column: game_date, zone: America/New_York, at_most: 9d}
  known_quirks:
    not_applicable: {reason: new feed without a history yet, approved_by: "@lena", expires: 2027-01-31}
`;

export const PATH = "contracts/nfl/plays.yml";

const read = readContract(PATH, CONTRACT_TEXT, new Date("2026-11-26T06:00:00Z"));
if (read.contract === null) throw new Error(JSON.stringify(read.problems));
export const contract = read.contract;

export const lineOf = ({ clause, name }: Pick<Reading, "clause" | "name">): number =>
  read.positionOf(["clauses", clause, name]).line;

export function idOf(text: string): RunId {
  const id = parseRunId(text);
  if (id === null) throw new RangeError(text);
  return id;
}

export const SHA = (text: string): string => sha256(text);

const NOTHING: Measurement = {
  measured: {},
  violations: "0",
  rowsTested: "48187",
  nullCount: "0",
  nonFiniteCount: "0",
  groupsMissing: "0",
  sample: null,
};

type Measured = Readonly<Record<string, Partial<Measurement>>>;

/** What a good delivery measures. */
const GOOD: Measured = {
  play_key: { measured: { duplicates: "0", null_keys: "0" } },
  file_ledger: { measured: { parsed: "48512", landed: "48512", rejected: "0" }, rowsTested: "48512" },
  row_ledger: {
    measured: {
      landed: "48512",
      staged: "48187",
      "excluded.deleted_play": "313",
      "excluded.timeout_row": "12",
    },
    rowsTested: "48512",
  },
  epa_range: { measured: { min: "-13.021", max: "9.114" } },
  few_punts: { violations: "2891" },
  pass_equals_receive: { measured: { largest_difference: "0", left: null, right: null }, rowsTested: "9036" },
  newest_game: {
    measured: {
      newest: "2026-11-25T04:59:59.999Z",
      clock: "2026-11-26T06:12:40.000Z",
      age_ms: "90760001",
      month: "11",
    },
  },
  schema_exact: { measured: { columns: "8", differences: "" } },
  known_quirks_not_applicable: { measured: { today: "2026-11-26" } },
};

export function readings(measured: Measured = {}): readonly Reading[] {
  return declaredAudits(contract).map(({ name, clause, level, expectation, assertion }, n) => {
    const measurement = { ...NOTHING, ...GOOD[name], ...measured[name] };
    const check = checkNamed(assertion.check);
    if (check === undefined) throw new RangeError(assertion.check);
    const { verdict, finding, expected } = check.judge(assertion, measurement);
    return {
      name,
      clause,
      level,
      expectation,
      passed: verdict === "pass",
      observed: {
        check: assertion.check,
        of: "staged",
        verdict,
        finding,
        measured: measurement.measured,
        expected,
        violations: measurement.violations,
        rows_tested: measurement.rowsTested,
        null_count: measurement.nullCount,
        non_finite_count: measurement.nonFiniteCount,
        groups_missing: measurement.groupsMissing,
        baseline: null,
        sample: measurement.sample,
        sql_sha256: SHA(`select ${name}`),
        clock: null,
        ms: 3 + n,
        error: null,
      },
    };
  });
}
