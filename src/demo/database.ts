// The demo's database: an embedded server with passwords, the control schema, one login a duty, and a reader.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { type Surroundings, setUp } from "../compose.ts";
import { WapError } from "../domain/errors.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embedded/postgres.ts";

export interface DemoDatabase {
  readonly server: EmbeddedPostgres;
  /** The variables that a repository's secrets would hold. */
  readonly credentials: Readonly<Record<"WAP_BUILD_URL" | "WAP_APPROVE_URL" | "WAP_PUBLISH_URL", string>>;
  readonly readerUrl: string;
  readonly passwords: readonly string[];
}

const DATABASE = "warehouse";

/** A password with every character that breaks naive masking. */
const password = (): string => `p@ss:w/rd 'é"${randomBytes(9).toString("base64")}`;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export async function startDemoDatabase(airlines: string, surroundings: Surroundings): Promise<DemoDatabase> {
  const admin = password();
  const server = await startEmbeddedPostgres({ auth: "scram-sha-256", password: admin });
  try {
    await withClient(server.url("postgres", "postgres", admin), (client) =>
      client.query(`CREATE DATABASE ${DATABASE}`),
    );
    const adminUrl = server.url("postgres", DATABASE, admin);
    const made = await setUp({ ...surroundings, environment: { WAP_ADMIN_URL: adminUrl } }, "WAP_ADMIN_URL");
    if (!made.ok) throw new WapError(made.refusal.code, made.refusal.message);
    const passwords = {
      wap_build: password(),
      wap_approve: password(),
      wap_publish: password(),
      report: password(),
    };
    await withClient(adminUrl, async (client) => {
      for (const [login, secret] of Object.entries(passwords))
        await client.query(`CREATE ROLE ${login} LOGIN PASSWORD ${literal(secret)}`);
      await client.query(`
        CREATE ROLE analyst NOLOGIN; GRANT analyst TO report, wap_publisher;
        GRANT wap_builder, wap_auditor TO wap_build; GRANT wap_approver TO wap_approve; GRANT wap_publisher TO wap_publish;
        CREATE SCHEMA analytics; GRANT USAGE, CREATE ON SCHEMA analytics TO wap_target; GRANT USAGE ON SCHEMA analytics TO analyst, wap_builder, wap_auditor;
        CREATE SCHEMA ref; CREATE TABLE ref.airlines (carrier text PRIMARY KEY, name text NOT NULL);
        GRANT USAGE ON SCHEMA ref TO wap_builder, wap_auditor; GRANT SELECT ON ref.airlines TO wap_builder, wap_auditor`);
      for (const line of airlines.trim().split(/\r?\n/).slice(1)) {
        const [carrier, ...name] = line.split(",");
        await client.query("INSERT INTO ref.airlines VALUES ($1, $2)", [carrier, name.join(",")]);
      }
    });
    const url = (login: keyof typeof passwords): string => server.url(login, DATABASE, passwords[login]);
    return {
      server,
      credentials: {
        WAP_BUILD_URL: url("wap_build"),
        WAP_APPROVE_URL: url("wap_approve"),
        WAP_PUBLISH_URL: url("wap_publish"),
      },
      readerUrl: url("report"),
      passwords: [admin, ...Object.values(passwords)],
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
