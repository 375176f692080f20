// The contract hash: an edit that means nothing keeps it, every other edit changes it (docs/canonical-bytes.md).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, type ToStringOptions, stringify as write } from "yaml";
import { readContract } from "../../../src/contracts/read.ts";
import {
  type Contract,
  canonicalContract,
  contractHash,
  parseCanonicalContract,
  targetOf,
} from "../../../src/domain/contract.ts";
import { GOOD, spoiled, TODAY } from "../../contracts/example.ts";

const read = (text: string): Contract => {
  const { contract, problems } = readContract("c.yml", text, TODAY);
  if (contract === null) throw new Error(JSON.stringify(problems));
  return contract;
};
const hash = (text: string): string => contractHash(read(text));

/** Every optional key of the language that this version runs, none at its default. */
const FULL = `${GOOD.replace(
  "  path:",
  `  dialect: {delimiter: ";", quote: "'", escape: "\\\\", encoding: windows-1252, bom: forbid, newline: lf, header: exact_set}
  nulls: {unquoted_empty: false, quoted_empty: true, tokens: ["NA", "-"]}
  limits: {record_bytes: 4096, field_bytes: 1024, newlines_in_field: 2, records: 1000000}
  rejects: {max: 5, rate: 0.001}
  extra_columns: land_only
  blank_lines: skip_counted
  as_of: 2026-11-24T06:00:00Z
  path:`,
)
  .replace(
    "{consumer_role: analyst}",
    "{consumer_role: analyst, url_env: B, audit_url_env: A, approve_url_env: P, publish_url_env: Q}",
  )
  .replace(
    "{sql: transforms/orders.sql}",
    "{sql: transforms/orders.sql, inputs: [ref.countries], excluded_rows: transforms/out.sql}",
  )
  .replace("nulls: never, collation: C}", "nulls: allowed, collation: C, class: pii, doc: where it is sent}")
  .replace("min: 1}", "min: 1, max: 99, of: raw, where: net > 0, level: gate, why: w, owner: o}")
  .replace(
    'approved_by: "@lena"}',
    'approved_by: "@lena", expires: 2027-01-31, approved_in: "acme/data#412"}',
  )}
description: Orders of the shop
engine: postgres
promotion: {strategy: view, indexes: [{name: i, columns: [order_id], unique: true, method: brin}], retention: {versions: 9, age: 9d, observe_for: 9h}, lock_timeout: 9s, statement_timeout: 9m}
approval: {merge: true, approvers: ["@acme/shop"], allow_author: true, max_run_age: 3d}
`;

/** YAML in which words such as NO are quoted, as contracts have to. */
const stringify = (value: unknown, options: ToStringOptions = {}): string =>
  write(value, { ...options, compat: "yaml-1.1" });

type Tree = string | number | boolean | null | Tree[] | { [key: string]: Tree };

function shuffled(tree: Tree, order: fc.Random | (() => number)): Tree {
  const next = typeof order === "function" ? order : () => order.next(16);
  if (Array.isArray(tree)) return tree.map((item) => shuffled(item, next));
  if (typeof tree !== "object" || tree === null) return tree;
  const keys = Object.keys(tree).map((key) => ({ key, rank: next() }));
  keys.sort((a, b) => a.rank - b.rank);
  return Object.fromEntries(keys.map(({ key }) => [key, shuffled(tree[key] ?? null, next)]));
}

/** The value with text where a bare number stood: what YAML's own parser cannot keep exactly. */
const treeOf = (text: string): Tree => parse(text, { intAsBigInt: false }) as Tree;

const leaves = (tree: Tree, path: (string | number)[] = []): (string | number)[][] => {
  if (Array.isArray(tree)) return tree.flatMap((item, index) => leaves(item, [...path, index]));
  if (typeof tree === "object" && tree !== null)
    return Object.entries(tree).flatMap(([key, item]) => leaves(item, [...path, key]));
  return [path];
};

function changed(tree: Tree, path: readonly (string | number)[], change: (leaf: Tree) => Tree): Tree {
  const [head, ...rest] = path;
  if (head === undefined) return change(tree);
  if (Array.isArray(tree))
    return tree.map((item, index) => (index === head ? changed(item, rest, change) : item));
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, item]) => [key, key === head ? changed(item, rest, change) : item]),
  );
}

const CHANGES: readonly ((leaf: Tree) => Tree)[] = [
  (leaf) => (typeof leaf === "boolean" ? !leaf : typeof leaf === "number" ? leaf + 1 : leaf),
  (leaf) => (typeof leaf === "string" ? `${leaf}x` : leaf),
  (leaf) => (typeof leaf === "string" ? `1${leaf}` : leaf),
  (leaf) =>
    typeof leaf === "string" ? leaf.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)) : leaf,
  (leaf) => (typeof leaf === "string" && /^[A-Z]$/.test(leaf) ? `${leaf}Z` : leaf),
];

describe("what keeps the hash", () => {
  test("comments, blank lines, styles and the order of keys", () => {
    const tree = treeOf(FULL);
    const expected = hash(FULL);
    const style = fc.record({
      flow: fc.boolean(),
      quote: fc.constantFrom("QUOTE_DOUBLE", "QUOTE_SINGLE", "PLAIN"),
      seed: fc.infiniteStream(fc.nat()),
      comment: fc.boolean(),
    });
    fc.assert(
      fc.property(style, ({ flow, quote, seed, comment }) => {
        const order = (): number => seed.next().value ?? 0;
        const body = stringify(shuffled(tree, order), {
          collectionStyle: flow ? "flow" : "block",
          defaultStringType: quote as "PLAIN",
          defaultKeyType: "PLAIN",
          lineWidth: 0,
        });
        const text = comment ? `# a remark\n\n${body.replaceAll("\n", " # another\n")}` : body;
        return hash(text) === expected;
      }),
      { numRuns: 100 },
    );
  });

  test("a default that is written out, for every default there is", () => {
    const contract = read(GOOD);
    expect(hash(stringify(contract))).toBe(contractHash(contract));
    expect(
      hash(
        GOOD.replace(
          "refresh: full",
          "refresh: full\nengine: postgres\napproval: {merge: false}\npromotion: {strategy: auto}",
        ),
      ),
    ).toBe(hash(GOOD));
    expect(hash(spoiled("check: row_count", "check: row_count, level: gate, on_empty: fail"))).toBe(
      hash(GOOD),
    );
  });

  test("an exact number bare or in quotes, line ends, a byte order mark", () => {
    expect(hash(spoiled("abs: 0}", 'abs: "0"}'))).toBe(hash(GOOD));
    expect(hash(`\ufeff${GOOD.replaceAll("\n", "\r\n")}`)).toBe(hash(GOOD));
  });
});

describe("what changes the hash", () => {
  test("every leaf of a full contract: whatever edit of it still is a contract has another hash", () => {
    const tree = treeOf(FULL);
    const expected = hash(FULL);
    const covered = new Set<string>();
    const all = leaves(tree);
    for (const path of all) {
      for (const change of CHANGES) {
        const next = changed(tree, path, change);
        if (JSON.stringify(next) === JSON.stringify(tree)) continue;
        const { contract } = readContract("c.yml", stringify(next), TODAY);
        if (contract === null) continue;
        covered.add(JSON.stringify(path));
        expect(contractHash(contract), JSON.stringify(path)).not.toBe(expected);
      }
    }
    // The others are words of a closed list, or names that have to agree with another place.
    expect(covered.size).toBeGreaterThan(45);
  }, 60_000);

  test.each([
    ["a word of a closed list", "header: exact_set", "header: none"],
    ["a list's order", 'values: ["NO", "SE", "DK"]', 'values: ["SE", "NO", "DK"]'],
    ["a column's order", "[order_id, ordered_at, country,", "[order_id, country, ordered_at,"],
    ["the text of a number", "abs: 0}", "abs: 0.0}"],
    ["a level", "level: gate", "level: advisory"],
    ["a removed key", ", records: 1000000", ""],
    ["an assertion's name", "order_key:", "orders_key:"],
  ])("%s", (_, from, to) => {
    const next = spoiled(from, to, FULL);
    const { contract } = readContract("c.yml", next, TODAY);
    if (contract === null) expect(from).toBe("level: gate");
    else expect(contractHash(contract)).not.toBe(hash(FULL));
  });
});

describe("canonical text", () => {
  test("it has no white space, sorted keys, and reads back to the same contract", () => {
    const contract = read(FULL);
    const text = canonicalContract(contract);
    expect(
      text.startsWith(
        '{"approval":{"allow_author":true,"approvers":["@acme/shop"],"max_run_age":"3d","merge":true,"min":1},"clauses":{"bounds"',
      ),
    ).toBe(true);
    expect(canonicalContract(parseCanonicalContract(text))).toBe(text);
    expect(parseCanonicalContract(text)).toEqual(contract);
  });

  test("other text is not read back", () => {
    expect(() => parseCanonicalContract("{}")).toThrow();
    expect(() => parseCanonicalContract("{")).toThrow(SyntaxError);
  });

  test("the target's name comes in parts", () => {
    expect(targetOf(read(GOOD))).toEqual({ schema: "mart", name: "orders" });
  });
});
