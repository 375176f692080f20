// The leaves of a contract: exact numbers, whole settings, durations, names, paths; each with the sentence of its error.
import { z } from "zod";
import { parseDecimal } from "../decimal.ts";
import { parseDuration } from "../duration.ts";
import { nameProblem, parseQualifiedName } from "../identifier.ts";

/** Where a leaf stands for an exact number, editors may let a person write it bare (`.meta({ bare: true })`). */
export const BARE_NUMBER = { bare: true } as const;

/**
 * An exact decimal, kept as text. The YAML reader hands over the source text of a bare number; a safe integer is taken
 * from JSON.
 */
export const exactNumber = z.preprocess(
  (value) => (typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value),
  z
    .string("write a plain decimal number, such as 12 or -0.05")
    .refine(
      (text) => parseDecimal(text) !== null && !text.startsWith("+"),
      "write a plain decimal number, such as 12 or -0.05",
    )
    .meta({ ...BARE_NUMBER, description: "An exact decimal number, bare or in quotes." }),
);

/** An exact number from 0 to 1: a share of rows. */
export const exactRate = z.preprocess(
  (value) => (typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value),
  z
    .string("write a share from 0 to 1, such as 0.05")
    .refine((text) => {
      const rate = parseDecimal(text);
      return (
        rate !== null && !text.startsWith("+") && rate.units >= 0n && rate.units <= 10n ** BigInt(rate.scale)
      );
    }, "write a share from 0 to 1, such as 0.05 (not a percentage)")
    .meta({ ...BARE_NUMBER, description: "A share from 0 to 1." }),
);

/** A whole number from `min` to `max`, as a safe JS integer. The reader's text of a bare number is understood. */
export const wholeNumber = (min: number, max: number = Number.MAX_SAFE_INTEGER) => {
  const sentence =
    max === Number.MAX_SAFE_INTEGER
      ? `write a whole number, ${min} or more`
      : `write a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === "string" && /^-?\d{1,16}$/.test(value) ? Number(value) : value),
    z.int(sentence).min(min, sentence).max(max, sentence).meta({ description: sentence }),
  );
};

/** `90s`, `5m`, `36h`, `9d`. */
export const duration = z
  .string("write a duration such as 90s, 5m, 36h or 9d")
  .refine((text) => parseDuration(text) !== null, "write a duration such as 90s, 5m, 36h or 9d")
  .meta({ description: "A duration: a whole number and s, m, h or d." });

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** One line of text for people. */
export const sentence = z
  .string("write text")
  .trim()
  .min(1, "write at least one word")
  .max(2000, "write at most 2000 characters")
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "holds a character that is not text");

/** A column, index or role name; rules in identifier.ts (63 bytes in UTF-8, counted as PostgreSQL counts). */
export const sqlName = z.string("write a name").superRefine((name, context) => {
  const problem = nameProblem(name);
  if (problem !== null)
    context.addIssue({ code: "custom", message: `the name ${problem}`, params: { code: "bad-identifier" } });
});

/** `schema.relation`. */
export const qualifiedName = z.string("write schema.relation").superRefine((text, context) => {
  const parsed = parseQualifiedName(text);
  if (typeof parsed === "string")
    context.addIssue({ code: "custom", message: parsed, params: { code: "bad-identifier" } });
});

/** What is wrong with a path relative to the repository's root, or null. */
export function pathProblem(path: string): string | null {
  if (path === "") return "is empty";
  if (CONTROL.test(path) || !path.isWellFormed()) return "holds a control or invisible character";
  if (path.includes("\\")) return "holds a backslash; write /";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path))
    return "is absolute; write it relative to the repository's root";
  if (path.startsWith("~")) return "begins with ~; write it relative to the repository's root";
  const parts = path.split("/");
  if (parts.includes("..")) return "holds `..`; a path may not leave the repository";
  if (parts.some((part) => part === "" || part === "."))
    return "holds an empty part or `.`; write the plain path";
  if (parts[0] === ".git") return "points into .git";
  return null;
}

/** A file of the repository. */
export const repositoryPath = z
  .string("write a path relative to the repository's root")
  .max(1000, "is longer than 1000 characters")
  .superRefine((path, context) => {
    const problem = pathProblem(path);
    if (problem !== null)
      context.addIssue({ code: "custom", message: `the path ${problem}`, params: { code: "bad-path" } });
  })
  .meta({ description: "A path relative to the repository's root." });

/** NAME of an environment variable; never a value, and a value written here is never repeated. */
export const environmentName = z
  .string("write the NAME of an environment variable")
  .regex(
    /^[A-Z_][A-Z0-9_]{0,99}$/,
    "write the NAME of an environment variable (capital letters), never a connection string",
  )
  .meta({ description: "The name of an environment variable, never its value." });

/** `@user` or `@org/team`, as GitHub writes them. */
export const handle = z
  .string("write @user or @org/team")
  .regex(/^@[A-Za-z0-9][A-Za-z0-9_-]{0,99}(?:\/[A-Za-z0-9_.-]{1,100})?$/, "write @user or @org/team");
