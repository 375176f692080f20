// A small contract that is right, and ways to spoil it in one place.
import { readContract } from "../../src/contracts/read.ts";
import type { Problem } from "../../src/domain/errors.ts";

export const TODAY = new Date("2026-11-26T06:12:00Z");

export const GOOD = `wap_contract: 1
id: shop.orders
version: 1.0.0
contract_owner: {team: shop, approvers: ["@acme/shop", "@lena"]}
database: {consumer_role: analyst}
target: mart.orders
refresh: full
source:
  kind: csv
  path: inbox/orders.csv
  columns: [order_id, ordered_at, country, net, gross]
transform: {sql: transforms/orders.sql}
target_schema:
  - {name: order_id, type: bigint, nulls: never}
  - {name: ordered_at, type: timestamp with time zone, nulls: never}
  - {name: country, type: text, nulls: never, collation: C}
  - {name: net, type: "numeric(14,2)", nulls: never}
  - {name: gross, type: "numeric(14,2)", nulls: never}
clauses:
  volume:
    rows: {check: row_count, min: 1}
  grain:
    order_key: {check: unique_key, columns: [order_id]}
  conservation:
    file_ledger: {check: equation, left: parsed, right: [landed, rejected]}
  bounds:
    country_set: {check: one_of, column: country, values: ["NO", "SE", "DK"]}
  reconciliation:
    gross_is_net: {check: balance, left: {from: staged, sum: gross}, right: {from: staged, sum: net}, tolerance: {abs: 0}}
  freshness:
    newest: {check: max_age, column: ordered_at, at_most: 36h}
  known_quirks:
    not_applicable: {reason: new feed, approved_by: "@lena"}
`;

/** The good contract with one piece of text replaced; throws where the piece does not stand exactly once. */
export function spoiled(from: string, to: string, text: string = GOOD): string {
  if (text.split(from).length !== 2)
    throw new RangeError(`${JSON.stringify(from)} does not stand there exactly once`);
  return text.replace(from, () => to);
}

export const problemsOf = (text: string | Uint8Array): readonly Problem[] =>
  readContract("c.yml", text, TODAY).problems;

/** `line:column severity code` of every problem. */
export const brief = (text: string | Uint8Array): readonly string[] =>
  problemsOf(text).map((problem) => `${problem.line}:${problem.column} ${problem.severity} ${problem.code}`);

/** Codes of the problems, in order. */
export const codes = (text: string | Uint8Array): readonly string[] =>
  problemsOf(text).map((problem) => problem.code);
