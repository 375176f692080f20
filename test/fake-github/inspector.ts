// Checks what goes over the wire against GitHub's own OpenAPI description: paths, queries, bodies, unknown fields, answers.
import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import type { Inspector } from "../../src/demo/github/server.ts";

type Node = { [key: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Node;
}

const description: Node = JSON.parse(
  readFileSync(new URL("../fixtures/github/openapi.json", import.meta.url), "utf8"),
);

/**
 * OpenAPI 3.0's `nullable` means that null is one of the values: beside `enum` the validator wants it listed, and without a `type` (beside
 * `allOf`, `anyOf`) it wants a choice.
 */
function acceptNull(value: unknown): void {
  if (Array.isArray(value)) value.forEach(acceptNull);
  else if (isNode(value)) {
    Object.values(value).forEach(acceptNull);
    if (value["nullable"] !== true) return;
    if (Array.isArray(value["enum"]) && !value["enum"].includes(null)) value["enum"].push(null);
    if (value["type"] === undefined && value["enum"] === undefined) {
      const { nullable: _, ...rest } = value;
      for (const key of Object.keys(value)) delete value[key];
      value["anyOf"] = [{ type: "null" }, rest];
    }
  }
}
acceptNull(description);

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true });
// The package's own types describe its CommonJS form.
(formats as unknown as (ajv: Ajv) => void)(ajv);
ajv.addSchema({ $id: "github", components: description["components"] });

const within = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(within)
    : isNode(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, item]) => [
            key,
            key === "$ref" && typeof item === "string" ? `github${item}` : within(item),
          ]),
        )
      : value;

function resolved(value: unknown): Node {
  if (!isNode(value)) return {};
  const reference = value["$ref"];
  if (typeof reference !== "string") return value;
  let at: unknown = description;
  for (const part of reference.split("/").slice(1)) at = isNode(at) ? at[part] : undefined;
  return resolved(at);
}

const operations = new Map<string, Node>();
for (const item of Object.values(resolved(description["paths"]))) {
  for (const operation of Object.values(resolved(item)))
    if (isNode(operation) && typeof operation["operationId"] === "string")
      operations.set(operation["operationId"], operation);
}

const compiled = new Map<string, ValidateFunction>();
function problems(key: string, schema: unknown, value: unknown): string[] {
  let validate = compiled.get(key);
  if (validate === undefined) {
    validate = ajv.compile(within(schema) as object);
    compiled.set(key, validate);
  }
  return validate(value)
    ? []
    : (validate.errors ?? []).slice(0, 5).map((error) => `${error.instancePath} ${error.message ?? ""}`);
}

const jsonSchema = (holder: unknown): unknown =>
  resolved(resolved(resolved(holder)["content"])["application/json"])["schema"];

function parametersOf(operation: Node): Parameter[] {
  const list = Array.isArray(operation["parameters"]) ? operation["parameters"] : [];
  return list.map(resolved).map((p) => ({
    name: String(p["name"]),
    in: String(p["in"]),
    required: p["required"] === true,
    schema: resolved(p["schema"]),
  }));
}

export const openApiInspector: Inspector = {
  request: (id, path, query, body) => {
    const operation = operations.get(id);
    if (operation === undefined) return [`${id} is not in the description`];
    const wrong: string[] = [];
    const parameters = parametersOf(operation);
    for (const { name, in: place, required, schema } of parameters) {
      const given = place === "path" ? path[name] : place === "query" ? query[name] : undefined;
      if (place !== "path" && place !== "query") continue;
      if (given === undefined) {
        if (required) wrong.push(`${place} parameter ${name} is missing`);
        continue;
      }
      const value = schema["type"] === "integer" ? Number(given) : given;
      wrong.push(...problems(`${id} ${name}`, schema, value).map((one) => `${name}${one}`));
    }
    for (const name of Object.keys(query))
      if (!parameters.some((one) => one.in === "query" && one.name === name))
        wrong.push(`unknown query parameter ${name}`);
    const schema = jsonSchema(operation["requestBody"]);
    if (schema !== undefined && body !== undefined) {
      wrong.push(...problems(`${id} body`, schema, body).map((one) => `body${one}`));
      const known = resolved(resolved(schema)["properties"]);
      if (isNode(body) && Object.keys(known).length > 0)
        for (const key of Object.keys(body))
          if (!Object.hasOwn(known, key)) wrong.push(`unknown field ${key}`);
    }
    return wrong;
  },
  answer: (id, status, body) => {
    const responses = resolved(operations.get(id)?.["responses"]);
    const response = responses[String(status)];
    // GitHub's description leaves most refusals out.
    if (response === undefined) return status >= 400 ? [] : [`${status} is not an answer of ${id}`];
    const schema = jsonSchema(response);
    return schema === undefined ? [] : problems(`${id} ${status}`, schema, JSON.parse(JSON.stringify(body)));
  },
};
