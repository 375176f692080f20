// What the measures of one run read besides the relations: counts, clocks, columns; all from the control tables.
import { z } from "zod";
import type { Contract } from "../../domain/contract.ts";
import { WapError } from "../../domain/errors.ts";
import { quoteQualified, type RunNames } from "../../domain/identifier.ts";
import type { RunId } from "../../domain/run.ts";
import type { Session } from "./connection.ts";
import type { MeasureContext } from "./measures/measure.ts";

const row = z.object({
  created_at: z.string(),
  stage_oid: z.number().nullable(),
  parsed: z.string().nullable(),
  landed: z.string().nullable(),
  rejected: z.string().nullable(),
  header: z.array(z.string()).nullable(),
  excluded: z.record(z.string(), z.string()),
});

/** @throws WapError run_unknown where the run is not recorded. */
export async function measureContextOf(
  session: Session,
  readFile: (path: string) => Promise<Uint8Array>,
  runId: RunId,
  names: RunNames,
  contract: Contract,
): Promise<MeasureContext> {
  const [found] = await session.query(
    `SELECT to_json(r.created_at)::text AS created_at, r.stage_oid, l.parsed::text AS parsed, l.landed::text AS landed, l.rejected::text AS rejected,
       l.landing -> 'header' AS header,
       (SELECT coalesce(jsonb_object_agg(e.reason, e.rows::text), '{}') FROM wap_admin.exclusions e WHERE e.run_id = r.run_id) AS excluded
     FROM wap_admin.runs r LEFT JOIN wap_admin.landings l ON l.run_id = r.run_id WHERE r.run_id = $1`,
    [runId],
  );
  if (found === undefined) throw new WapError("run_unknown", `there is no run ${runId}`);
  const run = row.parse(found);
  const counts: Record<string, string> = {};
  for (const name of ["parsed", "landed", "rejected"] as const) {
    const count = run[name];
    if (count !== null) counts[name] = count;
  }
  for (const [reason, rows] of Object.entries(run.excluded)) counts[`excluded.${reason}`] = rows;
  return {
    contract,
    relations: {
      raw: quoteQualified(names.raw),
      staged: quoteQualified(names.stage),
      excluded: quoteQualified(names.excluded),
    },
    stageOid: run.stage_oid ?? 0,
    rawColumns: run.header ?? [],
    counts,
    clocks: {
      run_start: new Date(run.created_at.replaceAll('"', "")).toISOString(),
      as_of: contract.source.as_of ?? null,
    },
    readFile,
  };
}
