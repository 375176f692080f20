// What the grammar check knows by name, compared with what the server under test really has.
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkExpression, checkSelect, functionsOf } from "../../../src/engines/postgres/sql-grammar.ts";
import { freshDatabase, type TestDatabase } from "../../harness/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.end());

test("every aggregate and window function of the server is refused in an expression", async () => {
  const rows = await database.query(
    "SELECT DISTINCT proname::text AS name FROM pg_catalog.pg_proc WHERE prokind IN ('a', 'w') AND pronamespace = 'pg_catalog'::regnamespace",
  );
  expect(rows.length).toBeGreaterThan(50);
  const accepted: string[] = [];
  for (const { name } of rows) if ((await checkExpression(`"${name}"(a)`)) === null) accepted.push(name);
  expect(accepted).toEqual([]);
});

test("no plain function of the server is taken for an aggregate", async () => {
  const rows = await database.query(
    "SELECT DISTINCT proname::text AS name FROM pg_catalog.pg_proc WHERE prokind = 'f' AND provolatile <> 'v' AND pronamespace = 'pg_catalog'::regnamespace",
  );
  const refused: string[] = [];
  for (const { name } of rows) if ((await checkExpression(`"${name}"(a)`)) !== null) refused.push(name);
  const readers = refused.filter((name) => /_to_xml/.test(name));
  expect(refused.toSorted()).toEqual(readers.toSorted());
});

test("the server does call a function that is written like a column, and the check names it", async () => {
  const [row] = await database.query(
    "SELECT (0.01::float8).pg_sleep IS NULL AS slept, g.pg_sleep FROM abs(0.01::float8) AS g",
  );
  expect(row).toBeDefined();
  expect(await functionsOf("(0.01::float8).pg_sleep")).toEqual([["pg_sleep"]]);
  expect(
    await checkSelect("SELECT g.pg_sleep FROM abs(0.01::float8) AS g", { inputs: [], placeholders: [] }),
  ).toMatchObject({
    ok: true,
    functions: expect.arrayContaining([["pg_sleep"]]),
  });
});

test("a function that reads relations named in a text reads them on the server, and is refused", async () => {
  await database.query("CREATE SCHEMA other; CREATE TABLE other.secret AS SELECT 'seen' AS a");
  const [row] = await database.query(
    "SELECT pg_catalog.table_to_xml('other.secret', false, false, '')::text AS xml",
  );
  expect(row?.["xml"]).toContain("seen");
  expect(
    await checkSelect("SELECT table_to_xml('other.secret', false, false, '')", {
      inputs: [],
      placeholders: [],
    }),
  ).toMatchObject({ ok: false });
});
