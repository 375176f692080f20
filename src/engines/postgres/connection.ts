// One connection to PostgreSQL, lent out: pinned session settings, exact values, and cancellation in the server.
import pg from "pg";
import { WapError } from "../../domain/errors.ts";
import { asFault } from "./sql-errors.ts";

/** Which environment variable holds the connection string, and its value. Only the name is ever shown. */
export interface Credential {
  readonly variable: string;
  readonly url: string;
}

export interface Session {
  readonly client: pg.Client;
  /** One statement with bound values; rows as the server's text, except booleans, small integers and JSON. */
  readonly query: <R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<R[]>;
  /** Asks the server to cancel what this session is running. */
  readonly cancel: () => Promise<void>;
}

const INT2 = 21;
const INT4 = 23;
const OID = 26;
const BOOL = 16;
const JSON_TYPES = new Set([114, 3802]);

/** Dates, decimals and 64-bit integers stay the server's text: no zone and no double ever touches them (case O40). */
const exactTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") => {
    if (format === "binary") return (value: unknown) => value;
    if (oid === BOOL) return (value: string) => value === "t";
    if (oid === INT2 || oid === INT4 || oid === OID) return (value: string) => Number(value);
    if (JSON_TYPES.has(oid)) return (value: string) => JSON.parse(value) as unknown;
    return (value: string) => value;
  },
};

/** Each of these was seen to change a result or a fingerprint (design: postgres, decision 6). */
const PINNED: readonly (readonly [string, string])[] = [
  ["search_path", "pg_catalog, pg_temp"],
  ["client_encoding", "UTF8"],
  ["TimeZone", "UTC"],
  ["DateStyle", "ISO, YMD"],
  ["IntervalStyle", "postgres"],
  ["extra_float_digits", "1"],
  ["bytea_output", "hex"],
  ["quote_all_identifiers", "off"],
  ["row_security", "off"],
  ["standard_conforming_strings", "on"],
  ["default_transaction_isolation", "read committed"],
  ["idle_in_transaction_session_timeout", "10min"],
  ["lock_timeout", "5s"],
];

export const readCredential = (
  variable: string,
  environment: Readonly<Record<string, string | undefined>>,
): Credential => {
  const url = environment[variable];
  if (url === undefined || url.trim() === "") {
    throw new WapError(
      "credential_missing",
      `the environment variable ${variable} is not set: it names the database for this duty`,
    );
  }
  return { variable, url };
};

/** The login that the server authenticated. */
export async function loginOf(session: Session): Promise<string> {
  const [row] = await session.query<{ login: string }>("SELECT session_user::text AS login");
  return row?.login ?? "";
}

async function connect(credential: Credential): Promise<pg.Client> {
  let client: pg.Client;
  try {
    client = new pg.Client({
      connectionString: credential.url,
      application_name: "wap",
      connectionTimeoutMillis: 15_000,
      keepAlive: true,
      types: exactTypes,
    });
  } catch (error) {
    throw new WapError(
      "connection_failed",
      `${credential.variable} does not hold a connection string such as postgres://login@host:5432/database`,
      {
        cause: error,
      },
    );
  }
  try {
    await client.connect();
  } catch (error) {
    throw asFault(error, `connecting with ${credential.variable}`);
  }
  return client;
}

/**
 * Lends a session for the length of `use`. A failure to close is kept beside the first error.
 * @throws WapError connection_failed, or what `use` throws.
 */
export async function withSession<T>(
  credential: Credential,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const client = await connect(credential);
  // A server that goes away while the session is idle must not end the process; the next query reports it.
  client.on("error", () => undefined);
  try {
    await client.query(
      "SELECT pg_catalog.set_config(n, v, false) FROM ROWS FROM (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) AS pinned (n, v)",
      [PINNED.map(([name]) => name), PINNED.map(([, value]) => value)],
    );
    return await use(sessionOver(client, credential));
  } finally {
    await client.end().catch(() => undefined);
  }
}

function sessionOver(client: pg.Client, credential: Credential): Session {
  return {
    client,
    query: async <R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await client.query<R>(text, [...values])).rows,
    cancel: async () => {
      const pid = "processID" in client ? client.processID : null;
      if (typeof pid !== "number") return;
      const second = await connect(credential);
      try {
        await second.query("SELECT pg_catalog.pg_cancel_backend($1)", [pid]);
      } finally {
        await second.end().catch(() => undefined);
      }
    },
  };
}

/** A transaction: committed when `body` returns, rolled back when it throws; both errors are kept when the roll-back fails too. */
export async function inTransaction<T>(session: Session, begin: string, body: () => Promise<T>): Promise<T> {
  await session.client.query(begin);
  try {
    const value = await body();
    await session.client.query("COMMIT");
    return value;
  } catch (error) {
    await session.client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
