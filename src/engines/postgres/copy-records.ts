// Records into a table by COPY in text format: exact, whole or not at all, and never hanging on a server that stopped listening.
import type pg from "pg";
import { WapError } from "../../domain/errors.ts";
import { quoteIdentifier, quoteList, type SqlIdentifier } from "../../domain/identifier.ts";
import type { Progress, ReaderTotals, RecordReader, RejectedRecord, SourceRecord } from "../../ports.ts";
import { openCopy, type RunningCopy } from "./copy-stream.ts";
import { asFault, sqlStateOf } from "./sql-errors.ts";

/** A server that takes nothing for this long is given up. */
const STALLED_MS = 120_000;

/** Rejects wait in memory until the COPY is ended for them; as many or as much as this. */
const WAITING_REJECTS = 1000;
const WAITING_UNITS = 4 * 1024 * 1024;

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const SPECIAL = /[\\\t\n\r]/;
const SPECIAL_ALL = /[\\\t\n\r]/g;

/**
 * A cell as COPY's text format writes it (PostgreSQL manual, COPY). Every backslash is doubled, so that neither `\.` nor `\N` of the
 * delivery can mean anything to the server.
 */
export function copyCell(cell: string | null): string {
  if (cell === null) return "\\N";
  return SPECIAL.test(cell) ? cell.replace(SPECIAL_ALL, (char) => ESCAPES[char] ?? char) : cell;
}

const copyLine = (record: SourceRecord): string => {
  let line = String(record.row);
  for (const cell of record.cells) line += `\t${copyCell(cell)}`;
  return `${line}\n`;
};

export interface Copied {
  /** As the server counted them, not as they were sent. */
  readonly landed: bigint;
  readonly rejected: bigint;
  readonly totals: ReaderTotals;
}

export interface RawTable {
  readonly table: SqlIdentifier;
  readonly columns: readonly string[];
}

/**
 * Lands every record and every reject in one transaction of its own, in constant memory (specification 3). Whatever fails, both
 * tables are as they were.
 * @throws LandingFault of the reader; WapError source_changed of its totals; WapError landing_failed with the record's number where
 * the server cannot hold a record; WapError connection_failed where the server took nothing for `stalledMs`, which closes the
 * connection; the server's other errors by their SQLSTATE. The cause is kept.
 */
export async function copyRecords(
  client: pg.ClientBase,
  raw: RawTable,
  rejects: { readonly table: SqlIdentifier },
  reader: RecordReader,
  totalBytes: number,
  onProgress: (progress: Progress) => void,
  stalledMs = STALLED_MS,
): Promise<Copied> {
  await client.query("BEGIN");
  try {
    const counts = await copyAll(client, raw, rejects, reader, totalBytes, onProgress, stalledMs);
    const totals = reader.totals();
    await client.query("COMMIT");
    return { ...counts, totals };
  } catch (error) {
    try {
      await client.query("ROLLBACK");
    } catch (whileCleaning) {
      // The session is gone, and its transaction with it.
      const { code, message, next, cause } = asFault(error, "landing");
      throw new WapError(code, message, { cause, whileCleaning, ...(next === undefined ? {} : { next }) });
    }
    throw error;
  }
}

async function copyAll(
  client: pg.ClientBase,
  raw: RawTable,
  rejects: { readonly table: SqlIdentifier },
  reader: RecordReader,
  totalBytes: number,
  onProgress: (progress: Progress) => void,
  stalledMs: number,
): Promise<Pick<Copied, "landed" | "rejected">> {
  const statement = `COPY ${raw.table} (${quoteIdentifier("_src_row")}, ${quoteList(raw.columns)}) FROM STDIN (FORMAT text, ENCODING 'UTF8')`;
  let copy: RunningCopy | null = null;
  let rows = new RowNumbers();
  let records = 0;
  let landed = 0n;
  let rejected = 0n;
  let waiting: RejectedRecord[] = [];
  let waitingUnits = 0;

  const endCopy = async (): Promise<void> => {
    if (copy === null) return;
    landed += await copy.end();
    copy = null;
    rows = new RowNumbers();
  };
  const storeRejects = async (): Promise<void> => {
    rejected += await insertRejects(client, rejects.table, waiting);
    waiting = [];
    waitingUnits = 0;
  };

  try {
    for await (const batch of reader.batches()) {
      if (batch.records.length > 0) {
        copy ??= openCopy(client, statement, stalledMs);
        rows.sent(batch.records);
        await copy.write(Buffer.from(batch.records.map(copyLine).join(""), "utf8"));
        records += batch.records.length;
      }
      for (const reject of batch.rejects) {
        waiting.push(reject);
        waitingUnits += reject.text.length;
      }
      if (waiting.length >= WAITING_REJECTS || waitingUnits >= WAITING_UNITS) {
        await endCopy();
        await storeRejects();
      }
      onProgress({ doneBytes: batch.doneBytes, totalBytes, records });
    }
    await endCopy();
    await storeRejects();
  } catch (error) {
    await abandon(copy);
    throw atRecord(error, rows);
  }
  return { landed, rejected };
}

const abandon = async (copy: RunningCopy | null): Promise<void> => copy?.abandon();

/** What the server cannot hold is the delivery's fault: data exceptions (22), constraints (23) and limits such as a row's size (54). */
function atRecord(error: unknown, rows: RowNumbers): unknown {
  const state = sqlStateOf(error);
  if (state === null || !(error instanceof Error)) return error;
  const fault = asFault(error, `landing${rows.ofError(error)}`);
  return /^(22|23|54)/.test(state)
    ? new WapError("landing_failed", `the server refused a row: ${fault.message}`, { cause: error })
    : fault;
}

/** Which record was which line of the running COPY; a place is kept only where rejects made the two run apart. */
class RowNumbers {
  private lines = 0;
  private readonly shifts: { readonly line: number; readonly by: number }[] = [];

  sent(records: readonly SourceRecord[]): void {
    for (const { row } of records) {
      this.lines += 1;
      const by = row - this.lines;
      if (this.shifts.at(-1)?.by !== by) this.shifts.push({ line: this.lines, by });
    }
  }

  /**
   * The record that a server error means, in words that follow "landing"; empty where it names none. The error names the line of its
   * COPY, in whatever language the server speaks. Nothing behind the number says that rows were being stored together when it came
   * up, of which the line is the last.
   */
  ofError(error: Error): string {
    const where = "where" in error && typeof error.where === "string" ? error.where : "";
    const named = /^COPY [^,]+,[^\d,:]*(\d+)(.?)/.exec(where);
    if (named === null) return "";
    const line = Math.min(Number(named[1]), this.lines);
    const row = line + (this.shifts.findLast((shift) => shift.line <= line)?.by ?? 0);
    return named[2] === "" ? ` a record up to number ${row}` : ` record ${row}`;
  }
}

async function insertRejects(
  client: pg.ClientBase,
  table: SqlIdentifier,
  rejected: readonly RejectedRecord[],
): Promise<bigint> {
  if (rejected.length === 0) return 0n;
  const { rowCount } = await client.query(
    `INSERT INTO ${table} (_src_row, _line, reason, message, record) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[])`,
    [
      rejected.map((reject) => reject.row),
      rejected.map((reject) => reject.line),
      rejected.map((reject) => reject.reason),
      rejected.map((reject) => reject.message),
      rejected.map((reject) => reject.text),
    ],
  );
  return BigInt(rowCount ?? 0);
}
