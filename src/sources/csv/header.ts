// The header of a delivery against the columns that the contract declares.
import type { Contract } from "../../domain/contract.ts";
import { nameProblem } from "../../domain/identifier.ts";

/** What is wrong with a header, as a sentence that names positions and both spellings; null where it agrees. Pure. */
export function headerProblem(header: readonly string[], source: Contract["source"]): string | null {
  for (const [n, name] of header.entries()) {
    const problem = name === "_src_row" ? "is the name that the record's number has" : nameProblem(name);
    if (problem !== null) return `column ${n + 1} ${JSON.stringify(name.slice(0, 80))} ${problem}`;
    const first = header.indexOf(name);
    if (first !== n)
      return `columns ${first + 1} and ${n + 1} have the same name ${JSON.stringify(name)} (duplicate header)`;
  }
  const declared = source.columns;
  const missing = declared.filter((name) => !header.includes(name));
  const extra = header.filter((name) => !declared.includes(name));
  if (missing.length > 0)
    return `the header lacks ${missing.join(", ")}${extra.length > 0 ? ` and has ${extra.join(", ")} instead or besides` : ""}`;
  if (extra.length > 0 && source.extra_columns === "fail")
    return `the header has columns that the contract does not declare: ${extra.join(", ")}`;
  if (source.dialect.header !== "exact_order") return null;
  const known = header.filter((name) => declared.includes(name));
  const moved = known.findIndex((name, n) => name !== declared[n]);
  return moved === -1
    ? null
    : `the header has ${known[moved]} where the contract has ${declared[moved]}; with \`header: exact_set\` the order does not matter`;
}
