// A database with the control schema set up, one login a duty, a consumer role and a schema to publish into.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { withSession } from "../../src/engines/postgres/connection.ts";
import { setUpControlSchema } from "../../src/engines/postgres/control-schema.ts";
import { freshDatabase, type TestDatabase } from "./postgres.ts";

/** Logins of one test database; roles are shared by the whole server, so each database has its own names. */
export interface Logins {
  readonly builder: string;
  readonly approver: string;
  readonly publisher: string;
  readonly consumer: string;
}

export interface WapDatabase {
  readonly database: TestDatabase;
  readonly logins: Logins;
  /** Connection string of a login, or of the administrator. */
  readonly url: (login: string) => string;
  /** Runs one statement as a login, in a connection of its own. */
  readonly as: (login: string, sql: string, values?: readonly unknown[]) => Promise<pg.QueryResultRow[]>;
  readonly admin: (sql: string, values?: readonly unknown[]) => Promise<pg.QueryResultRow[]>;
  readonly end: () => Promise<void>;
}

/** The SQLSTATE with which a statement fails, or "ok". */
export async function stateOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return "ok";
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code !== undefined) return error.code;
    throw error;
  }
}

/** Roles are shared by the server, and two setups at once may meet in pg_authid: the later one starts again. */
async function setUpInTurn(adminUrl: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const setup = await withSession({ variable: "TEST_ADMIN_URL", url: adminUrl }, setUpControlSchema);
      if (setup.ok) return;
      throw new Error(setup.refusal.message);
    } catch (error) {
      if (attempt === 8) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50 * attempt));
    }
  }
}

export async function wapDatabase(schema = "mart"): Promise<WapDatabase> {
  const database = await freshDatabase();
  const tag = randomBytes(4).toString("hex");
  const logins = {
    builder: `build_${tag}`,
    approver: `approve_${tag}`,
    publisher: `publish_${tag}`,
    consumer: `reader_${tag}`,
  };
  await setUpInTurn(database.adminUrl);
  await database.query(`
    CREATE ROLE ${logins.builder} LOGIN; CREATE ROLE ${logins.approver} LOGIN; CREATE ROLE ${logins.publisher} LOGIN; CREATE ROLE ${logins.consumer} NOLOGIN;
    GRANT wap_builder, wap_auditor TO ${logins.builder};
    GRANT wap_approver TO ${logins.approver};
    GRANT wap_publisher TO ${logins.publisher};
    GRANT ${logins.consumer} TO wap_publisher;
    CREATE SCHEMA "${schema}";
    GRANT USAGE, CREATE ON SCHEMA "${schema}" TO wap_target;
    GRANT USAGE ON SCHEMA "${schema}" TO ${logins.consumer}, wap_builder, wap_auditor;`);
  const query = async (
    url: string,
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<pg.QueryResultRow[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const result = await client.query(sql, [...values]);
      return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows;
    } finally {
      await client.end();
    }
  };
  return {
    database,
    logins,
    url: database.url,
    as: (login, sql, values) => query(database.url(login), sql, values),
    admin: (sql, values) => query(database.adminUrl, sql, values),
    end: async () => {
      await database.query(`DROP OWNED BY ${logins.consumer}; REVOKE ${logins.consumer} FROM wap_publisher`);
      await database.end();
    },
  };
}
