// Server errors told apart by SQLSTATE, never by message text: which are refusals of a door, which are faults.
import pg from "pg";
import { WapError } from "../../domain/errors.ts";
import { done, type Outcome, type ReasonCode, type Refusal } from "../../domain/outcome.ts";

/** SQLSTATEs that the doors of the control schema raise (control/*.sql), and the reason each one stands for. */
const DOOR_REFUSALS: Readonly<Record<string, ReasonCode>> = {
  WAP01: "duty_refused",
  WAP02: "run_unknown",
  WAP03: "run_exists",
  WAP04: "already_decided",
  WAP05: "not_approved",
  WAP06: "stage_changed",
  WAP07: "target_drift",
  WAP08: "stale_base",
  WAP09: "binding_mismatch",
  WAP11: "membership_missing",
  WAP12: "unsafe_strategy",
  WAP13: "no_previous_version",
  WAP14: "not_current_version",
  WAP15: "not_audited",
  WAP16: "already_decided",
  WAP17: "binding_mismatch",
  // assert_gate keeps the specification's plain RAISE EXCEPTION
  P0001: "gate_rejected",
};

/** Faults of the environment by SQLSTATE (PostgreSQL manual, appendix A); the first matching prefix counts. */
const FAULTS: readonly (readonly [string, ReasonCode])[] = [
  ["55P03", "lock_timeout"],
  ["40P01", "lock_timeout"],
  ["57014", "statement_timeout"],
  ["25P03", "statement_timeout"],
  ["53100", "disk_full"],
  ["25006", "read_only_server"],
  ["42501", "membership_missing"],
  ["28", "connection_failed"],
  ["3D", "connection_failed"],
  ["08", "connection_failed"],
  ["53", "connection_failed"],
  ["57", "connection_failed"],
];

/** The driver gives its own errors no code: these are the sentences of a connection that is gone. */
const GONE =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/;

const NETWORK = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EPIPE",
  "EHOSTUNREACH",
  "EAI_AGAIN",
  "ENOENT",
]);

/** The SQLSTATE of a server error, or null for anything else. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError && error.code !== undefined ? error.code : null;
}

/** The refusal that a door raised, or null where the error is not one. */
export function doorRefusal(error: unknown): Refusal | null {
  const state = sqlStateOf(error);
  const code = state === null ? undefined : DOOR_REFUSALS[state];
  if (code === undefined || !(error instanceof pg.DatabaseError)) return null;
  return error.hint === undefined
    ? { code, message: error.message }
    : { code, message: error.message, next: error.hint };
}

/** Any error from the driver as a WapError; a WapError passes through. `doing` says what was being done, for the sentence. */
export function asFault(error: unknown, doing: string): WapError {
  if (error instanceof WapError) return error;
  const state = sqlStateOf(error);
  if (state !== null && error instanceof Error) {
    const code = FAULTS.find(([prefix]) => state.startsWith(prefix))?.[1] ?? "database_error";
    return new WapError(code, `${doing}: ${error.message} (SQLSTATE ${state})`, { cause: error });
  }
  if (error instanceof Error) {
    const errno = "code" in error && typeof error.code === "string" ? error.code : "";
    const lost = NETWORK.has(errno) || GONE.test(error.message);
    const inner =
      error instanceof AggregateError
        ? error.errors.map((e: unknown) => (e instanceof Error ? e.message : String(e))).join("; ")
        : error.message;
    return new WapError(
      lost || error instanceof AggregateError ? "connection_failed" : "database_error",
      `${doing}: ${inner}`,
      { cause: error },
    );
  }
  return new WapError("internal", `${doing}: an error that is not an Error`, { cause: error });
}

/** Runs a door: its refusals become values, everything else a WapError. */
export async function throughDoor<T>(doing: string, call: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return done(await call());
  } catch (error) {
    const refusal = doorRefusal(error);
    if (refusal !== null) return { ok: false, refusal };
    throw asFault(error, doing);
  }
}
