// equation: where records went, as exact integers with every term.
import { z } from "zod";
import { defineCheck } from "./define-check.ts";
import { fail, isSome, pass, undecided } from "./verdict.ts";

/** Counts that a full refresh knows (contract: Terms of equations). */
export const TERM = /^(?:parsed|landed|rejected|staged|excluded\.[A-Za-z0-9_]+)$/;

const isExcluded = (name: string): boolean => name.startsWith("excluded.");

const term = z
  .string("write a term")
  .regex(
    TERM,
    "write parsed, landed, rejected, staged or excluded.<reason>; the terms of incremental contracts are not yet supported",
  )
  .meta({ description: "A count of records or rows." });

export const equation = defineCheck({
  name: "equation",
  clauses: ["conservation"],
  heeds: ["on_empty"],
  keys: { left: term, right: z.array(term).min(1, "name at least one term") },
  expectation: (a) => `${a.left} = ${a.right.join(" + ")}`,
  judge: (a, m) => {
    const expected = { equation: `${a.left} = ${a.right.join(" + ")}` };
    const names = [a.left, ...a.right];
    const missing = names.find((name) => !isCount(m.measured[name]));
    if (missing !== undefined) return undecided(`${missing} was not counted`, expected);
    const count = (name: string): bigint => BigInt(m.measured[name] ?? "0");
    const left = count(a.left);
    const right = a.right.reduce((sum, name) => sum + count(name), 0n);
    const terms = `${left} ${a.left} = ${a.right.map((name) => `${count(name)} ${name}`).join(" + ")}`;
    // An equation that names exclusions names all of them: a new reason is a decision of the contract's owner.
    const unnamed = names.some(isExcluded)
      ? Object.entries(m.measured).filter(
          ([name, found]) => isExcluded(name) && !names.includes(name) && isSome(found),
        )
      : [];
    if (unnamed.length > 0) {
      const reasons = unnamed.map(([name, found]) => `${found} ${name}`).join(", ");
      return fail(`${terms}; left out for a reason that the equation does not name: ${reasons}`, expected);
    }
    const difference = left - right;
    if (difference > 0n) return fail(`${terms} + ${difference} unexplained`, expected);
    if (difference < 0n) return fail(`${terms} - ${-difference} unexplained`, expected);
    if (left > 0n) return pass(terms, expected);
    return a.on_empty === "pass" && a.why !== undefined
      ? pass(`${terms}: nothing to count, which is allowed: ${a.why}`, expected)
      : fail(`nothing was tested: ${terms}`, expected);
  },
});

const isCount = (value: string | null | undefined): boolean =>
  typeof value === "string" && /^\d+$/.test(value);
