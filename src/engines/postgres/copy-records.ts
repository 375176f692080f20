// Records into a table by COPY in text format: exact, with back-pressure, and never hanging on a server that stopped listening.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { WapError } from "../../domain/errors.ts";
import { quoteList, type SqlIdentifier } from "../../domain/identifier.ts";
import type { Progress, ReaderTotals, RecordReader, RejectedRecord, SourceRecord } from "../../ports.ts";

/** A server that takes nothing for this long is given up. */
const STALLED_MS = 120_000;

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
  readonly totals: ReaderTotals;
}

/**
 * Lands every record and every reject. Errors keep their cause: a LandingFault of the reader, or the server's own.
 */
export async function copyRecords(
  client: pg.ClientBase,
  raw: { readonly table: SqlIdentifier; readonly columns: readonly string[] },
  rejects: { readonly table: SqlIdentifier },
  reader: RecordReader,
  totalBytes: number,
  onProgress: (progress: Progress) => void,
): Promise<Copied> {
  const rejected: RejectedRecord[] = [];
  let records = 0;
  const watchdog = new AbortController();
  const stalled = (): NodeJS.Timeout =>
    setTimeout(
      () =>
        watchdog.abort(
          new WapError("connection_failed", `the server took no data for ${STALLED_MS / 1000} s`),
        ),
      STALLED_MS,
    );
  let timer = stalled();
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const batch of reader.batches()) {
      clearTimeout(timer);
      timer = stalled();
      rejected.push(...batch.rejects);
      records += batch.records.length;
      onProgress({ doneBytes: batch.doneBytes, totalBytes, records });
      if (batch.records.length > 0) yield Buffer.from(batch.records.map(copyLine).join(""), "utf8");
    }
  }
  const stream = client.query(
    copyFrom(
      `COPY ${raw.table} (_src_row, ${quoteList(raw.columns)}) FROM STDIN (FORMAT text, ENCODING 'UTF8')`,
    ),
  );
  try {
    await pipeline(Readable.from(lines(), { objectMode: true, highWaterMark: 1 }), stream, {
      signal: watchdog.signal,
    });
  } catch (error) {
    throw watchdog.signal.aborted ? watchdog.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
  await insertRejects(client, rejects.table, rejected);
  return { totals: reader.totals() };
}

async function insertRejects(
  client: pg.ClientBase,
  table: SqlIdentifier,
  rejected: readonly RejectedRecord[],
): Promise<void> {
  for (let at = 0; at < rejected.length; at += 1000) {
    const part = rejected.slice(at, at + 1000);
    // A rejected record may hold what text cannot: NUL is written as its picture.
    await client.query(
      `INSERT INTO ${table} (_src_row, _line, reason, message, record) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[])`,
      [
        part.map((r) => r.row),
        part.map((r) => r.line),
        part.map((r) => r.reason),
        part.map((r) => r.message),
        part.map((r) => r.text.replaceAll("\0", "␀")),
      ],
    );
  }
}
