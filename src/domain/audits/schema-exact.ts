// schema_exact: the stage has exactly the declared columns, types, order and collations, and no null where none may be. Always on.
import { defineCheck } from "./define-check.ts";
import { fail, nothingTested, pass } from "./verdict.ts";

export const schemaExact = defineCheck({
  name: "schema_exact",
  clauses: ["bounds"],
  keys: {},
  expectation: () => "columns, types, order, collations and nullability are exactly the contract's",
  judge: (a, m) => {
    const differences = m.measured["differences"];
    if (typeof differences === "string" && differences !== "") return fail(differences);
    const nulls = Object.entries(m.measured).filter(([name, count]) => name.startsWith("nulls in ") && count !== "0");
    if (nulls.length > 0) return fail(nulls.map(([name, count]) => `${count} ${name}`).join(", "));
    return nothingTested(a, m, {}) ?? pass(`${m.measured["columns"] ?? "?"} columns as declared, no null where none may be`);
  },
});
