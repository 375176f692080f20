// How a check is put together: its own keys and the common ones become one schema, so that a judge never sees anything unparsed.
import { z } from "zod";
import type { Clause } from "../clauses.ts";
import { commonSchema, type CommonKeys } from "../contract/assertion.ts";
import type { Judgement, Measurement } from "./check.ts";

/** A check of the registry: it takes an assertion as the contract holds it and reads what it declares. */
export interface RegisteredCheck<Keys = unknown> {
  readonly name: string;
  readonly clauses: readonly Clause[];
  /** The check's own keys, strict. */
  readonly schema: z.ZodObject;
  /** The assertion with the common keys. @throws ZodError for one that the contract's schema would refuse. */
  readonly parse: (assertion: unknown) => Keys;
  readonly expectation: (assertion: unknown) => string;
  readonly judge: (assertion: unknown, measurement: Measurement) => Judgement;
}

interface Definition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly clauses: readonly Clause[];
  readonly keys: Shape;
  readonly expectation: (assertion: z.infer<z.ZodObject<Shape>> & CommonKeys) => string;
  readonly judge: (assertion: z.infer<z.ZodObject<Shape>> & CommonKeys, measurement: Measurement) => Judgement;
}

export function defineCheck<Shape extends z.ZodRawShape>(definition: Definition<Shape>): RegisteredCheck<z.infer<z.ZodObject<Shape>> & CommonKeys> {
  const { name, clauses, keys, expectation, judge } = definition;
  const own = z.object(keys);
  const parse = (assertion: unknown): z.infer<z.ZodObject<Shape>> & CommonKeys => ({ ...commonSchema.parse(commonPart(assertion)), ...own.parse(assertion) });
  return {
    name,
    clauses,
    schema: z.strictObject(keys),
    parse,
    expectation: (assertion) => expectation(parse(assertion)),
    judge: (assertion, measurement) => judge(parse(assertion), measurement),
  };
}

/** The common keys of an assertion; what belongs to the check is left to its own schema. */
function commonPart(assertion: unknown): Record<string, unknown> {
  const common: Record<string, unknown> = {};
  if (typeof assertion !== "object" || assertion === null) return common;
  for (const [key, value] of Object.entries(assertion)) if (Object.hasOwn(commonSchema.shape, key)) common[key] = value;
  return common;
}
