// A run: its id, its status and which status may follow which (specification 2 and 6).
import { randomUUID } from "node:crypto";

/** The statuses of wap_admin.runs, in the order of the story. */
export const STATUSES = [
  "building",
  "built",
  "audited",
  "approved",
  "published",
  "failed",
  "rolled_back",
] as const;
export type RunStatus = (typeof STATUSES)[number];

/**
 * Which status may follow which. The database holds the same table in a trigger (control schema, `forward_only`);
 * a test compares the two.
 */
export const TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  building: ["built", "failed"],
  built: ["audited", "failed"],
  audited: ["approved", "failed"],
  approved: ["published", "failed"],
  published: ["rolled_back"],
  failed: [],
  rolled_back: [],
};

declare const runId: unique symbol;
/** A complete lower-case UUID. */
export type RunId = string & { readonly [runId]: true };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Parses a complete UUID, in either case; null for anything else. */
export function parseRunId(text: string): RunId | null {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? (lower as RunId) : null;
}

export const newRunId = (): RunId => randomUUID() as RunId;

/** The first eight digits: enough for a person, never for a command. */
export const shortRunId = (id: RunId): string => id.slice(0, 8);
