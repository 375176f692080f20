// A contract's SQL: what is one reading SELECT, and what is not (safety U3).
import { describe, expect, test } from "vitest";
import { checkExpression, checkSelect, functionsOf, renderTransform } from "../../../src/engines/postgres/sql-grammar.ts";
import { quoteQualified } from "../../../src/domain/identifier.ts";

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
    ["WITH d AS (INSERT INTO ref.airlines VALUES (1) RETURNING *) SELECT * FROM d", /an INSERT is not allowed/],
    ["WITH d AS (UPDATE ref.airlines SET carrier = '' RETURNING *) SELECT * FROM d", /an UPDATE is not allowed/],
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
  ])("be %s", async (sql, sentence) => expect(await verdict(sql)).toMatch(sentence));

  test("hide its mistakes: the place counts lines and characters", async () => {
    expect(await checkSelect("SELECT é\nFROM {{source}} WHERE )", limits)).toMatchObject({ ok: false, line: 2 });
  });
});

describe("an expression", () => {
  test.each(["a > 1", "gross = net + tax", "a IS NOT NULL AND b IN ('x', 'y')", "coalesce(a, 0) >= 0 -- why", "CASE WHEN a THEN 1 ELSE 2 END = 1"])("may be %s", async (text) =>
    expect(await checkExpression(text)).toBeNull(),
  );
  test.each([
    ["1) FROM pg_authid WHERE (true", /not one expression/],
    ["1), (2", /not one expression/],
    ["1); DROP TABLE x; SELECT (1", /not one expression/],
    ["(SELECT 1)", /subquery/],
    ["EXISTS (SELECT 1 FROM ref.airlines)", /subquery/],
    ["count(*) > 1", /aggregate/],
    ["row_number() OVER () = 1", /aggregate or window/],
    ["public.f(a)", /outside pg_catalog/],
    ["a >", /syntax error/],
    ["", /syntax error/],
  ])("may not be %s", async (text, sentence) => expect(await checkExpression(text)).toMatch(sentence));

  test("names the functions it calls", async () => {
    expect(await functionsOf("random() < 0.5 AND upper(a) = pg_catalog.lower(b)")).toEqual([["random"], ["upper"], ["pg_catalog", "lower"]]);
  });
});

test("a rendered transform has its placeholders replaced where they are code, and no final semicolon", async () => {
  const source = quoteQualified({ schema: "wap_raw", name: "Orders 1" });
  expect(await renderTransform("SELECT 'é {{source}}' AS a FROM {{source}} AS s; ;\n-- end", { source })).toBe(`SELECT 'é {{source}}' AS a FROM ${source} AS s`);
});
