// Real PostgreSQL for the tests: one server a run, one database a test file, or a server of one's own for what crashes.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../src/embedded/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of the shared server's superuser, without a database. */
    postgresUrl: string;
  }
}

export interface TestDatabase {
  readonly adminUrl: string;
  /** Connection string of a login; passwords are not asked for. */
  readonly url: (login: string) => string;
  /** Runs statements as the administrator. */
  readonly query: (sql: string) => Promise<pg.QueryResultRow[]>;
  readonly end: () => Promise<void>;
}

/** Folder `native` of the version under test, from WAP_TEST_POSTGRES_NATIVE; the installed package by default. */
export const nativeUnderTest = (): Pick<EmbeddedOptions, "native"> => {
  const native = process.env["WAP_TEST_POSTGRES_NATIVE"];
  return native === undefined || native === "" ? {} : { native };
};

/** A server that belongs to one test file: for crashes, full disks and settings. */
export const ownServer = (options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ ...nativeUnderTest(), ...options });

/**
 * A fresh database on the shared server. Roles belong to the whole server: `wap_*` roles are made by whoever sets up first (setup
 * takes what stands), every other role needs a name of its own.
 */
export async function freshDatabase(server: string = inject("postgresUrl")): Promise<TestDatabase> {
  const name = `t_${randomBytes(6).toString("hex")}`;
  const base = new URL(server);
  const superuser = decodeURIComponent(base.username);
  /** Only the superuser of a server given from outside may have a password. */
  const to = (login: string, database: string): string => {
    const password = login === superuser && base.password !== "" ? `:${base.password}` : "";
    return `postgres://${encodeURIComponent(login)}${password}@${base.host}/${database}${base.search}`;
  };
  const run = async (database: string, sql: string): Promise<pg.QueryResultRow[]> => {
    const client = new pg.Client({ connectionString: to(superuser, database) });
    await client.connect();
    try {
      const result = await client.query(sql);
      return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows;
    } finally {
      await client.end();
    }
  };
  await run("postgres", `CREATE DATABASE ${name}`);
  return {
    adminUrl: to(superuser, name),
    url: (login) => to(login, name),
    query: (sql) => run(name, sql),
    end: async () => {
      await run("postgres", `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
