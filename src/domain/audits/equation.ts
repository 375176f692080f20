// equation: where records went, as exact integers with every term.
import { z } from "zod";
import { defineCheck } from "./define-check.ts";
import { fail, pass, undecided } from "./verdict.ts";

/** Counts that a full refresh knows (contract: Terms of equations). */
export const TERM = /^(?:parsed|landed|rejected|staged|excluded\.[A-Za-z0-9_]+)$/;

const term = z
  .string("write a term")
  .regex(TERM, "write parsed, landed, rejected, staged or excluded.<reason>; the terms of incremental contracts are not yet supported")
  .meta({ description: "A count of records or rows." });

export const equation = defineCheck({
  name: "equation",
  clauses: ["conservation"],
  keys: { left: term, right: z.array(term).min(1, "name at least one term") },
  expectation: (a) => `${a.left} = ${a.right.join(" + ")}`,
  judge: (a, m) => {
    const expected = { equation: `${a.left} = ${a.right.join(" + ")}` };
    const value = (name: string): bigint | null => (typeof m.measured[name] === "string" ? BigInt(m.measured[name]) : null);
    const left = value(a.left);
    const right = a.right.map((name) => [name, value(name)] as const);
    if (left === null) return undecided(`${a.left} was not counted`, expected);
    let sum = 0n;
    for (const [name, count] of right) {
      if (count === null) return undecided(`${name} was not counted`, expected);
      sum += count;
    }
    const named = new Set([a.left, ...a.right]);
    const unnamed = Object.entries(m.measured).filter(([name, count]) => name.startsWith("excluded.") && !named.has(name) && count !== "0");
    const terms = `${left} ${a.left} = ${right.map(([name, count]) => `${count} ${name}`).join(" + ")}`;
    if (left === 0n && sum === 0n && a.on_empty !== "pass") return fail(`nothing was tested: ${terms}`, expected);
    const undeclared = [a.left, ...a.right].some((name) => name.startsWith("excluded.")) ? unnamed : [];
    if (undeclared.length > 0) return fail(`${terms}; left out for a reason that the equation does not name: ${undeclared.map(([name, count]) => `${count} ${name}`).join(", ")}`, expected);
    const difference = left - sum;
    return difference === 0n ? pass(terms, expected) : fail(`${terms} + ${difference} unexplained`, expected);
  },
});
