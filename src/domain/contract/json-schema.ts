// JSON Schema (draft 7) of a contract file for editors, made from the same zod schema that parses it.
import { z } from "zod";
import { CLAUSES, type Clause } from "../clauses.ts";
import { declarationSchema } from "../contract.ts";
import { assertionKeysSchema, type CheckRegistry } from "./assertion.ts";
import { notApplicableSchema } from "./clause-block.ts";
import { knownKeys } from "./finding.ts";
import { REGISTRY } from "./vocabulary.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * zod's own translation, with three changes for people who type: a number may stand bare where text holds an exact one,
 * a whole number may not be text, and the clauses point at their definitions.
 */
function translate(schema: z.ZodType): JsonSchema {
  const text = z.toJSONSchema(schema, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const meta = z.globalRegistry.get(zodSchema) ?? {};
      if (meta["bare"] === true) Object.assign(jsonSchema, { type: ["string", "number"] });
      if (meta["clause"] !== undefined) jsonSchema.$ref = `#/definitions/${String(meta["clause"])}`;
      delete jsonSchema["bare"];
      delete jsonSchema["clause"];
    },
  });
  const { $schema: _, ...rest } = text;
  return rest as JsonSchema;
}

/** The assertion of a clause: `check` is an enum of the clause's checks; if/then adds the keys of the one that is named. */
function assertionOf(clause: Clause, registry: CheckRegistry): JsonSchema {
  const names = Object.keys(registry).filter((name) => registry[name]?.clauses.includes(clause));
  const common = translate(assertionKeysSchema).properties ?? {};
  const branches = names.flatMap((name): JsonSchema[] => {
    const entry = registry[name];
    if (entry === undefined) return [];
    const own = translate(entry.schema);
    const keys = new Set([...knownKeys(entry.schema, []), ...Object.keys(common)]);
    return [
      {
        if: { properties: { check: { const: name } }, required: ["check"] },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: {
          properties: {
            ...Object.fromEntries([...keys].map((key) => [key, true as const])),
            ...own.properties,
          },
          additionalProperties: false,
          ...(own.required === undefined ? {} : { required: own.required }),
        },
      },
    ];
  });
  return {
    type: "object",
    properties: { ...common, check: { enum: names, description: "What is checked." } },
    required: ["check"],
    allOf: branches,
  };
}

const clauseOf = (clause: Clause): JsonSchema => ({
  type: "object",
  minProperties: 1,
  description: `Named assertions of the clause ${clause}, or only not_applicable.`,
  properties: { not_applicable: { $ref: "#/definitions/not_applicable" } },
  patternProperties: {
    "^(?!not_applicable$)[a-z][a-z0-9_]{0,59}$": { $ref: `#/definitions/${clause}_assertion` },
  },
  additionalProperties: false,
});

/**
 * The JSON Schema that contracts/contract.schema.json holds. It completes and explains; `wap validate` decides, because
 * positions, columns and rules across blocks are beyond JSON Schema.
 */
export function contractJsonSchema(): Readonly<Record<string, unknown>> {
  const definitions: Record<string, JsonSchema> = { not_applicable: translate(notApplicableSchema) };
  for (const clause of CLAUSES) {
    definitions[clause] = clauseOf(clause);
    definitions[`${clause}_assertion`] = assertionOf(clause, REGISTRY);
  }
  const body = translate(declarationSchema);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "contract.schema.json",
    title: "wap contract",
    description:
      "One target: where its rows come from, how they are derived, and what must hold before anyone reads them.",
    ...body,
    definitions,
  };
}
