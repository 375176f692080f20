// What the control schema answers, parsed at the edge.
import { z } from "zod";
import type { Landing } from "../../domain/manifest.ts";
import { parseRunId, type RunId } from "../../domain/run.ts";

const count = z.string().regex(/^\d+$/);
const byReason = z.record(z.string(), count);

export const runIdSchema = z.string().transform((text, context): RunId => {
  const id = parseRunId(text);
  if (id !== null) return id;
  context.addIssue({ code: "custom", message: "not a run id" });
  return z.NEVER;
});

export const landingSchema: z.ZodType<Landing> = z.object({
  rawName: z.string(),
  rejectsName: z.string(),
  bytes: count,
  sha256: z.string(),
  plainBytes: count,
  parsed: count,
  landed: count,
  rejected: count,
  header: z.array(z.string()),
  parser: z.record(z.string(), z.string()),
  rejectReasons: byReason,
});

export const buildResultSchema = z.object({ stageRows: count, excluded: byReason });

export const changesSchema = z.object({
  key: z.array(z.string()),
  added: count,
  removed: count,
  changed: count,
  unchanged: count,
  columns: z.record(z.string(), count),
});
