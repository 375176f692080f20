// schema_exact: the stage has exactly the declared columns, types, order and collations, and no null where none may be. Always on.
import { defineCheck } from "./define-check.ts";
import { fail, isSome, nothingTested, pass, undecided } from "./verdict.ts";

/** Prefix of the measured names that count nulls: `nulls in <column>`. */
export const NULLS_IN = "nulls in ";

export const schemaExact = defineCheck({
  name: "schema_exact",
  clauses: ["bounds"],
  heeds: ["on_empty"],
  keys: {},
  expectation: () => "columns, types, order, collations and nullability are exactly the contract's",
  judge: (a, m) => {
    const differences = m.measured["differences"];
    if (typeof differences !== "string") return undecided("the stage's columns were not read");
    if (differences !== "") return fail(differences);
    const nulls = Object.entries(m.measured).filter(([name]) => name.startsWith(NULLS_IN));
    const some = nulls.filter(([, count]) => isSome(count));
    if (some.length > 0) return fail(some.map(([name, count]) => `${count} ${name}`).join(", "));
    return (
      nothingTested(a, m, {}) ??
      pass(
        `${m.measured["columns"] ?? "?"} columns as declared, no null in the ${nulls.length} that may have none`,
      )
    );
  },
});
