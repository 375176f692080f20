// How a check is put together: its own keys and the common ones become one schema, so that a judge never sees anything unparsed.
import { z } from "zod";
import type { Clause } from "../clauses.ts";
import { type AssertionKeys, assertionKeysSchema } from "../contract/assertion.ts";
import type { Judgement, Measurement } from "./check.ts";

/** Common keys that change what is measured or judged; `level`, `why` and `owner` mean the same everywhere. */
export const MEASURED_KEYS = ["of", "where", "group_by", "allow", "on_empty", "on_null", "sample"] as const;
export type MeasuredKey = (typeof MEASURED_KEYS)[number];

/** A check of the registry: it takes an assertion as the contract holds it and reads what it declares. */
export interface RegisteredCheck<Keys = unknown> {
  readonly name: string;
  readonly clauses: readonly Clause[];
  /** The common keys that this check heeds. Any other is refused: a key that is ignored would promise more than is measured. */
  readonly heeds: readonly MeasuredKey[];
  /** The check's own keys, strict. */
  readonly schema: z.ZodObject;
  /** The assertion with the common keys. @throws ZodError for one that the contract's schema would refuse. */
  readonly parse: (assertion: unknown) => Keys;
  readonly expectation: (assertion: unknown) => string;
  readonly judge: (assertion: unknown, measurement: Measurement) => Judgement;
}

type Parsed<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>> & AssertionKeys;

interface Definition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly clauses: readonly Clause[];
  readonly heeds: readonly MeasuredKey[];
  readonly keys: Shape;
  readonly expectation: (assertion: Parsed<Shape>) => string;
  readonly judge: (assertion: Parsed<Shape>, measurement: Measurement) => Judgement;
}

export function defineCheck<Shape extends z.ZodRawShape>(
  definition: Definition<Shape>,
): RegisteredCheck<Parsed<Shape>> {
  const { name, clauses, heeds, keys, expectation, judge } = definition;
  const own = z.object(keys);
  const parse = (assertion: unknown): Parsed<Shape> => ({
    ...assertionKeysSchema.parse(assertionKeysOf(assertion)),
    ...own.parse(assertion),
  });
  return {
    name,
    clauses,
    heeds,
    schema: z.strictObject(keys),
    parse,
    expectation: (assertion) => expectation(parse(assertion)),
    judge: (assertion, measurement) => judge(parse(assertion), measurement),
  };
}

/** The common keys of an assertion; what belongs to the check is left to its own schema. */
export function assertionKeysOf(assertion: unknown): Record<string, unknown> {
  const common: Record<string, unknown> = {};
  if (typeof assertion !== "object" || assertion === null) return common;
  for (const [key, value] of Object.entries(assertion)) {
    if (Object.hasOwn(assertionKeysSchema.shape, key)) common[key] = value;
  }
  return common;
}

/** The first common key that an assertion sets and its check does not heed, or null. */
export function unheededKey(
  check: RegisteredCheck,
  assertion: Readonly<Record<string, unknown>>,
): MeasuredKey | null {
  const unheeded = MEASURED_KEYS.find((key) => {
    const value = assertion[key];
    if (value === undefined || check.heeds.includes(key) || Object.hasOwn(check.schema.shape, key))
      return false;
    return !(key === "on_empty" && value === "fail");
  });
  return unheeded ?? null;
}
