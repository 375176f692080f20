// not_applicable: a clause that its owner waived, as an audit of its own, so that the gate's seven categories stay covered.
import { z } from "zod";
import { CLAUSES } from "../clauses.ts";
import { defineCheck } from "./define-check.ts";
import { fail, pass } from "./verdict.ts";

export const notApplicable = defineCheck({
  name: "not_applicable",
  clauses: CLAUSES,
  heeds: [],
  keys: {
    reason: z.string(),
    approved_by: z.string(),
    expires: z.string().optional(),
    approved_in: z.string().optional(),
  },
  expectation: (a) =>
    `not applicable, approved by ${a.approved_by}${a.expires === undefined ? "" : ` until ${a.expires}`}: ${a.reason}`,
  judge: (a, m) => {
    const today = m.measured["today"];
    if (a.expires !== undefined && (typeof today !== "string" || today > a.expires))
      return fail(`the waiver by ${a.approved_by} ended on ${a.expires}`);
    return pass(`not applicable, says ${a.approved_by}: ${a.reason}`);
  },
});
