// A contract's SQL: what is one reading SELECT, and what is not (safety U3).
import { describe, expect, test } from "vitest";
import { quoteQualified } from "../../../src/domain/identifier.ts";
import {
  checkExpression,
  checkSelect,
  functionsOf,
  renderTransform,
} from "../../../src/engines/postgres/sql-grammar.ts";

const limits = { inputs: [{ schema: "ref", name: "airlines" }], placeholders: ["source"] };
const verdict = async (sql: string): Promise<string> => {
  const checked = await checkSelect(sql, limits);
  return checked.ok ? "ok" : checked.message;
};

describe("a transform may", () => {
  test.each([
    "SELECT a, b FROM {{source}}",
    "SELECT f.a FROM {{source}} AS f JOIN ref.airlines AS l ON l.carrier = f.a WHERE f.b IS NOT NULL;",
    "WITH x AS (SELECT 1 AS a FROM {{source}}) SELECT a FROM x UNION ALL SELECT 2",
    "SELECT count(*) FILTER (WHERE a > '1'), now() FROM {{source}} GROUP BY b HAVING count(*) > 1 ORDER BY 1 LIMIT 5",
    "-- a comment; with {{braces}}\nSELECT '{{not a placeholder}}' AS t, $$ {{nor this}} $$ AS u FROM {{source}} /* {{or this}} */",
    'SELECT "{{quoted}}" FROM {{source}} AS s("{{quoted}}")',
    "SELECT pg_catalog.upper(a), a::pg_catalog.text, row_number() OVER (PARTITION BY b) FROM {{source}}",
    "SELECT (SELECT max(carrier) FROM ref.airlines), x.* FROM {{source}} s, LATERAL (SELECT s.a) x",
  ])("be %s", async (sql) => expect(await verdict(sql)).toBe("ok"));
});

describe("a transform may not", () => {
  test.each([
    ["", /no statement/],
    ["-- only a comment", /no statement/],
    ["SELECT 1; SELECT 2", /more than one statement/],
    ["SELECT 1; DROP TABLE x", /more than one statement/],
    ["DELETE FROM {{source}}", /not a SELECT/],
    ["COPY {{source}} TO PROGRAM 'sh'", /not a SELECT/],
    ["DO $$ BEGIN END $$", /not a SELECT/],
    ["EXPLAIN ANALYZE SELECT 1", /not a SELECT/],
    ["WITH d AS (DELETE FROM ref.airlines RETURNING *) SELECT * FROM d", /a DELETE is not allowed/],
    [
      "WITH d AS (INSERT INTO ref.airlines VALUES (1) RETURNING *) SELECT * FROM d",
      /an INSERT is not allowed/,
    ],
    [
      "WITH d AS (UPDATE ref.airlines SET carrier = '' RETURNING *) SELECT * FROM d",
      /an UPDATE is not allowed/,
    ],
    ["SELECT * INTO stolen FROM {{source}}", /SELECT INTO|no schema/],
    ["SELECT * FROM {{source}} FOR UPDATE", /locking clause/],
    ["SELECT * FROM (SELECT * FROM ref.airlines FOR SHARE) x", /locking clause/],
    ["SELECT * FROM other.relation", /other\.relation is not among the declared inputs/],
    ["SELECT * FROM pg_catalog.pg_authid", /not among the declared inputs/],
    ["SELECT * FROM pg_authid", /has no schema/],
    ["SELECT * FROM db.ref.airlines", /names a database/],
    ["WITH pg_authid AS (SELECT 1) SELECT * FROM pg_authid", /begins with pg_/],
    ["SELECT public.evil(a) FROM {{source}}", /function public\.evil lies outside/],
    ["SELECT a OPERATOR(public.=) b FROM {{source}}", /operator public\.= lies outside/],
    ["SELECT a::public.evil FROM {{source}}", /type public\.evil lies outside/],
    ["SELECT $1 FROM {{source}}", /parameter/],
    ["SELECT * FROM ref.airlines TABLESAMPLE system (1)", /TABLESAMPLE/],
    ["SELECT a FROM {{target}}", /\{\{target\}\} is not a placeholder/],
    ["SELECT a FROM {{source}} WHERE )", /syntax error/],
    ["SELECT 'unclosed FROM {{source}}", /unterminated|syntax error/],
    ["SELECT 1) x; DROP TABLE y; --", /syntax error/],
    ["MERGE INTO ref.airlines USING {{source}} s ON true WHEN MATCHED THEN DELETE", /not a SELECT/],
    ["CREATE TABLE x AS SELECT * FROM {{source}}", /not a SELECT/],
    ["PREPARE p AS SELECT 1", /not a SELECT/],
    ["SET ROLE postgres", /not a SELECT/],
    ["REFRESH MATERIALIZED VIEW ref.airlines", /not a SELECT/],
    [
      "WITH d AS (MERGE INTO ref.airlines USING {{source}} s ON true WHEN MATCHED THEN DELETE RETURNING 1) SELECT * FROM d",
      /a MERGE is not allowed/,
    ],
    [
      "SELECT * FROM (WITH d AS (DELETE FROM ref.airlines RETURNING *) SELECT * FROM d) x",
      /a DELETE is not allowed|syntax error/,
    ],
    ["SELECT * FROM {{source}} FOR NO KEY UPDATE SKIP LOCKED", /locking clause/],
    ["TABLE other.relation", /not among the declared inputs/],
    ["SELECT (SELECT max(a) FROM other.relation)", /not among the declared inputs/],
    [
      "SELECT a FROM {{source}} WHERE EXISTS (SELECT 1 FROM ONLY other.relation)",
      /not among the declared inputs/,
    ],
    ["SELECT JSON_ARRAY(SELECT a FROM other.relation)", /not among the declared inputs/],
    ["SELECT 1 UNION SELECT a FROM other.relation", /not among the declared inputs/],
    ["SELECT a FROM REF.airlines, Other.airlines", /other\.airlines is not among/],
    ['SELECT a FROM "REF".airlines', /not among the declared inputs/],
    ['SELECT a FROM U&"\\0070g_authid"', /has no schema/],
    ["SELECT * FROM pg_temp.x", /not among the declared inputs/],
    ['SELECT a FROM "{source}"', /kept for a placeholder/],
    ["SELECT a FROM {{ source }}", /without spaces/],
    ["SELECT table_to_xml('other.relation', false, false, '')", /reads relations that are not declared/],
    [
      "SELECT pg_catalog.query_to_xml('SELECT * FROM other.relation', false, false, '')",
      /reads relations that are not declared/,
    ],
    ["SELECT * FROM ts_stat('SELECT v FROM other.relation')", /reads relations that are not declared/],
    ["SELECT ('SELECT v FROM other.relation'::text).ts_stat", /reads relations that are not declared/],
    ["SELECT a COLLATE other.c FROM {{source}}", /collation other\.c lies outside/],
    ["SELECT a FROM {{source}} ORDER BY a USING OPERATOR(public.<)", /operator public\.< lies outside/],
    ["SELECT a OPERATOR(public.=) ANY (SELECT 1) FROM {{source}}", /operator public\.= lies outside/],
    [
      "SELECT * FROM XMLTABLE('/a' PASSING x COLUMNS b public.evil), {{source}}",
      /type public\.evil lies outside/,
    ],
    ["SELECT * FROM ROWS FROM (public.evil()) AS x", /function public\.evil lies outside/],
    ["SELECT a::db.pg_catalog.text FROM {{source}}", /syntax error|lies outside/],
    ["SELECT 1 \0", /NUL/],
  ])("be %s", async (sql, sentence) => expect(await verdict(sql)).toMatch(sentence));

  test.each([
    ["SELECT é\nFROM {{source}} WHERE )", 2, 23],
    ["SELECT 'ééé',\n  {{source}}.a, 'é' || public.f(a) FROM {{source}}", 2, 24],
    ["SELECT 1\nFROM {{source}},\n     other.relation", 3, 6],
    ["SELECT 1;\n\nSELECT 2", 3, 1],
    ["SELECT 1\nFROM {{target}}", 2, 6],
  ])("hide its mistakes: of %j the place counts lines and characters", async (sql, line, column) => {
    expect(await checkSelect(sql, limits)).toMatchObject({ ok: false, line, column });
  });
});

test.each([
  ["20 000 additions", `SELECT ${"1 + ".repeat(20_000)}1`, /nested too deeply/],
  ["20 000 parentheses", `SELECT ${"(".repeat(20_000)}1${")".repeat(20_000)}`, /memory exhausted/],
  ["a mebibyte", `SELECT '${"x".repeat(2 ** 20)}'`, /longer than 1 MiB/],
])(
  "a text of %s is refused with a sentence, and the parser is fit for the next one",
  async (_, sql, sentence) => {
    expect(sentence.test(await verdict(sql))).toBe(true);
    expect(await verdict("SELECT a FROM {{source}}")).toBe("ok");
  },
);

test("a chain of 3000 additions is no trouble", async () =>
  expect((await verdict(`SELECT ${"1 + ".repeat(3000)}1 FROM {{source}}`)).slice(0, 100)).toBe("ok"));

test("a checked query names the inputs that it reads, each once", async () => {
  const two = { inputs: [...limits.inputs, { schema: "ref", name: "planes" }], placeholders: ["source"] };
  const checked = await checkSelect("SELECT 1 FROM {{source}}, ref.airlines a, ref.airlines b", two);
  expect(checked).toMatchObject({ ok: true, relations: [{ schema: "ref", name: "airlines" }] });
});

test.each([
  ["(10::float8).pg_sleep", "pg_sleep"],
  ["g.pg_sleep", "pg_sleep"],
  ["(('public.s'::text)::regclass).nextval", "nextval"],
])("a function called like a column (%s) counts as called", async (text, name) => {
  expect(await functionsOf(text)).toContainEqual([name]);
});

describe("an expression", () => {
  test.each([
    "a > 1",
    "gross = net + tax",
    "a IS NOT NULL AND b IN ('x', 'y')",
    "coalesce(a, 0) >= 0 -- why",
    "CASE WHEN a THEN 1 ELSE 2 END = 1",
  ])("may be %s", async (text) => expect(await checkExpression(text)).toBeNull());
  test.each([
    ["1) FROM pg_authid WHERE (true", /not one expression|syntax error/],
    ["1), (2", /not one expression|syntax error/],
    ["true) OR (true", /syntax error/],
    ["1)::int + (2", /syntax error/],
    ["a AS b", /syntax error/],
    ["a FROM {{source}}", /syntax error/],
    ["sum(a) > 1", /aggregate or window function \(sum\)/],
    ["lag(a) OVER () = 1", /aggregate or window/],
    ["JSON_ARRAYAGG(a) IS NULL", /aggregate/],
    ["JSON_ARRAY(SELECT 1) IS NULL", /subquery/],
    ["a = ANY (SELECT 1)", /subquery/],
    ["a COLLATE other.c = 'x'", /outside pg_catalog/],
    ["$1 = a", /parameter/],
    ["1); DROP TABLE x; SELECT (1", /not one expression|syntax error/],
    ["(SELECT 1)", /subquery/],
    ["EXISTS (SELECT 1 FROM ref.airlines)", /subquery/],
    ["count(*) > 1", /aggregate/],
    ["row_number() OVER () = 1", /aggregate or window/],
    ["public.f(a)", /outside pg_catalog/],
    ["a >", /syntax error/],
    ["", /syntax error/],
  ])("may not be %s", async (text, sentence) => expect(await checkExpression(text)).toMatch(sentence));

  test("names the functions it calls", async () => {
    expect(await functionsOf("random() < 0.5 AND upper(a) = pg_catalog.lower(b)")).toEqual([
      ["random"],
      ["upper"],
      ["pg_catalog", "lower"],
    ]);
  });
});

test("a rendered transform has its placeholders replaced where they are code, and no final semicolon", async () => {
  const source = quoteQualified({ schema: "wap_raw", name: "Orders 1" });
  expect(
    await renderTransform("SELECT 'é {{source}}' AS a FROM {{source}} AS s; ;\n-- end", { source }),
  ).toBe(`SELECT 'é {{source}}' AS a FROM ${source} AS s`);
});
