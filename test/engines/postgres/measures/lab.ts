// Audits measured on a real server over small relations: what a run's raw snapshot, stage and exclusions would be.
import pg from "pg";
import { readContract } from "../../../../src/contracts/read.ts";
import type { Reading } from "../../../../src/domain/audits/check.ts";
import type { DeclaredAudit } from "../../../../src/domain/audits/declared.ts";
import type { Contract, TargetColumn } from "../../../../src/domain/contract.ts";
import { quoteIdentifier, quoteQualified } from "../../../../src/domain/identifier.ts";
import { withSession } from "../../../../src/engines/postgres/connection.ts";
import { measureAudits } from "../../../../src/engines/postgres/measure-audits.ts";
import type { MeasureContext } from "../../../../src/engines/postgres/measures/measure.ts";
import { GOOD, TODAY } from "../../../contracts/example.ts";
import { freshDatabase } from "../../../harness/postgres.ts";

export type Row = readonly (string | null)[];
export type Assertion = DeclaredAudit["assertion"];

export const TARGET: readonly TargetColumn[] = [
  { name: "id", type: "bigint", nulls: "never" },
  { name: "code", type: "text", nulls: "allowed", collation: "C" },
  { name: "amount", type: "numeric(10,2)", nulls: "allowed" },
  { name: "rate", type: "double precision", nulls: "allowed" },
  { name: "day", type: "date", nulls: "allowed" },
  { name: "at", type: "timestamp with time zone", nulls: "allowed" },
];

/** What is measured; everything that is left out is empty. Rows of the stage and of the raw snapshot are texts. */
export interface Data {
  readonly target?: readonly TargetColumn[];
  /** Columns of the stage as it was built; the target's by default. */
  readonly built?: string;
  readonly staged?: readonly Row[];
  readonly rawColumns?: readonly string[];
  /** Records; their number is their place, from 1. */
  readonly raw?: readonly Row[];
  /** Records that were left out, by number, with the reason. */
  readonly excluded?: readonly (readonly [row: number, reason: string])[];
  readonly counts?: Readonly<Record<string, string>>;
  readonly clock?: string;
  readonly asOf?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** A statement that fills the stage, in place of rows one by one. */
  readonly fill?: (staged: string) => string;
  /** Statements that make what lies beside the run. */
  readonly setup?: string;
  readonly statementTimeout?: string;
  /** What the auditor's session did before; settings that a measure must not depend on. */
  readonly session?: string;
  /** Runs when an audit reads a file, in the middle of the audits. */
  readonly onRead?: (staged: string) => Promise<unknown>;
}

export interface Lab {
  /** Readings of the assertions, in their order; measured as the auditor, in one call. */
  readonly readAll: (data: Data, assertions: readonly Assertion[]) => Promise<readonly Reading[]>;
  readonly read: (data: Data, assertion: Assertion) => Promise<Reading>;
  readonly admin: (sql: string) => Promise<pg.QueryResultRow[]>;
  /** Runs with the auditor's own connection. */
  readonly asAuditor: <T>(use: (client: pg.Client) => Promise<T>) => Promise<T>;
  readonly end: () => Promise<void>;
}

export const CLOCK = "2026-10-27T21:00:00Z";

function exampleContract(): Contract {
  const { contract } = readContract("lab.yml", GOOD, TODAY);
  if (contract === null) throw new Error("the example contract does not parse");
  return contract;
}

export async function measureLab(): Promise<Lab> {
  const database = await freshDatabase();
  const auditor = `lab_${new URL(database.adminUrl).pathname.slice(1)}`;
  await database.query(`CREATE SCHEMA lab; CREATE SCHEMA ref; CREATE ROLE ${auditor} LOGIN;
    GRANT USAGE ON SCHEMA lab, ref TO ${auditor};
    ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ${auditor}`);
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  const example = exampleContract();
  let number = 0;

  async function fill(relation: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    const list = columns.map(quoteIdentifier).join(", ");
    for (const row of rows) {
      if (row.length !== columns.length) throw new Error(`a row of ${relation} has ${row.length} cells`);
      const places = row.map((_, n) => `$${n + 1}`).join(", ");
      await admin.query(`INSERT INTO ${relation} (${list}) VALUES (${places})`, [...row]);
    }
  }

  async function build(data: Data): Promise<MeasureContext> {
    number += 1;
    const relation = (kind: string) => quoteQualified({ schema: "lab", name: `${kind}_${number}` });
    const relations = { raw: relation("raw"), staged: relation("staged"), excluded: relation("excluded") };
    const target = data.target ?? TARGET;
    const rawColumns = data.rawColumns ?? target.map(({ name }) => name);
    const typed = target.map(
      ({ name, type, collation }) =>
        `${quoteIdentifier(name)} ${type}${collation === undefined ? "" : ` COLLATE ${quoteIdentifier(collation)}`}`,
    );
    const texts = rawColumns.map((name) => `${quoteIdentifier(name)} text`);
    if (data.setup !== undefined) await admin.query(data.setup);
    await admin.query(`CREATE TABLE ${relations.staged} (${data.built ?? typed.join(", ")})`);
    await admin.query(`CREATE TABLE ${relations.raw} (${["_src_row bigint", ...texts].join(", ")})`);
    await admin.query(`CREATE TABLE ${relations.excluded} (_src_row bigint NOT NULL, reason text NOT NULL)`);
    await fill(
      relations.staged,
      target.map(({ name }) => name),
      data.staged ?? [],
    );
    if (data.fill !== undefined) await admin.query(data.fill(relations.staged));
    await fill(
      relations.raw,
      ["_src_row", ...rawColumns],
      (data.raw ?? []).map((row, n) => [`${n + 1}`, ...row]),
    );
    await fill(
      relations.excluded,
      ["_src_row", "reason"],
      (data.excluded ?? []).map(([row, reason]) => [`${row}`, reason]),
    );
    const { rows } = await admin.query<{ oid: number }>(`SELECT '${relations.staged}'::regclass::oid AS oid`);
    const contract: Contract = {
      ...example,
      target_schema: [...target],
      promotion: { ...example.promotion, statement_timeout: data.statementTimeout ?? "1m" },
    };
    return {
      contract,
      relations,
      stageOid: rows[0]?.oid ?? 0,
      rawColumns,
      counts: data.counts ?? {},
      clocks: { run_start: data.clock ?? CLOCK, as_of: data.asOf ?? null },
      readFile: async (path) => {
        const text = data.files?.[path];
        if (text === undefined) throw new Error(`no file ${path}`);
        await data.onRead?.(relations.staged);
        return Buffer.from(text);
      },
    };
  }

  const asAuditor: Lab["asAuditor"] = (use) =>
    withSession({ variable: "LAB_URL", url: database.url(auditor) }, (session) => use(session.client));
  const readAll: Lab["readAll"] = async (data, assertions) => {
    const context = await build(data);
    const audits = assertions.map(
      (assertion, n): DeclaredAudit => ({
        name: `audit_${n}`,
        clause: "bounds",
        level: "gate",
        expectation: "it holds",
        assertion,
      }),
    );
    return asAuditor(async (client) => {
      if (data.session !== undefined) await client.query(data.session);
      return measureAudits(client, audits, context);
    });
  };
  return {
    readAll,
    read: async (data, assertion) => {
      const [reading] = await readAll(data, [assertion]);
      if (reading === undefined) throw new Error("no reading");
      return reading;
    },
    admin: async (sql) => (await admin.query(sql)).rows,
    asAuditor,
    end: async () => {
      await admin.query(`DROP OWNED BY ${auditor}; DROP ROLE ${auditor}`);
      await admin.end();
      await database.end();
    },
  };
}
