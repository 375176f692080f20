// The JSON Schema for editors: it accepts what wap accepts, lists the checks, and explains every key.
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CLAUSES } from "../../../src/domain/clauses.ts";
import { contractJsonSchema } from "../../../src/domain/contract/json-schema.ts";
import { REGISTRY } from "../../../src/domain/contract/vocabulary.ts";
import { GOOD, spoiled } from "../../contracts/example.ts";

const schema = contractJsonSchema();
const ajv = new Ajv({
  allErrors: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  strictRequired: false,
});
const validate = ajv.compile(schema);

const errorsOf = (text: string): readonly string[] => {
  validate(parse(text));
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ""}`);
};

describe("contract.schema.json", () => {
  test("it is a draft-7 schema that compiles in strict mode", () => {
    expect(schema["$schema"]).toBe("http://json-schema.org/draft-07/schema#");
    expect(ajv.validateSchema(schema)).toBe(true);
  });

  test("the example and the play-by-play contract are valid, bare numbers too", () => {
    expect(errorsOf(GOOD)).toEqual([]);
    expect(
      errorsOf(readFileSync(new URL("../../fixtures/contracts/plays.yml", import.meta.url), "utf8")),
    ).toEqual([]);
  });

  test("a typo in check is answered with the checks of that clause", () => {
    validate(parse(spoiled("check: one_of", "check: oneof")));
    const enums = (validate.errors ?? []).filter((error) => error.keyword === "enum");
    expect(enums).toHaveLength(1);
    const here = Object.keys(REGISTRY).filter((name) => REGISTRY[name]?.clauses.includes("bounds"));
    expect(enums[0]?.params["allowedValues"]).toEqual(here);
    expect(here.length).toBeGreaterThan(3);
  });

  test("a key that the check does not have is an error at the assertion", () => {
    expect(errorsOf(spoiled("column: country,", "colum: country,")).join("\n")).toContain(
      "/clauses/bounds/country_set",
    );
  });

  test("a missing block, an unknown key and a missing clause are errors", () => {
    expect(errorsOf(spoiled("refresh: full\n", "")).length).toBeGreaterThan(0);
    expect(errorsOf(`${GOOD}extra: 1\n`).length).toBeGreaterThan(0);
    expect(
      errorsOf(spoiled("  grain:\n    order_key: {check: unique_key, columns: [order_id]}\n", "")).length,
    ).toBeGreaterThan(0);
  });

  test("every clause is described and takes a waiver", () => {
    const definitions = schema["definitions"] as Record<
      string,
      { description?: string; properties?: object }
    >;
    for (const clause of CLAUSES) {
      expect(definitions[clause]?.description).toContain(clause);
      expect(definitions[clause]?.properties).toHaveProperty("not_applicable");
    }
  });
});
