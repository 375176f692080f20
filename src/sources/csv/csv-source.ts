// A delivered CSV or TSV file as a source: identified, its header checked, its records read in constant memory.
import type { Contract } from "../../domain/contract.ts";
import { decimal, isWithinRate } from "../../domain/decimal.ts";
import { WapError } from "../../domain/errors.ts";
import { LandingFault } from "../../domain/landing.ts";
import { done, type Outcome } from "../../domain/outcome.ts";
import type {
  ReaderTotals,
  RecordBatch,
  RecordReader,
  RejectedRecord,
  Source,
  SourceRecord,
} from "../../ports.ts";
import { identifyFile, openPlain, type PlainBytes } from "./delivered-file.ts";
import { headerProblem } from "./header.ts";
import { type CsvOptions, RecordScanner } from "./record-scanner.ts";

const REJECT_TEXT = 8192;

export function csvSource(options: CsvOptions): Source {
  let identified: { bytes: bigint; sha256: string } | null = null;
  return {
    ref: options.path,
    identify: async () => {
      identified = await identifyFile(options.root, options.path);
      return identified;
    },
    open: async (): Promise<Outcome<RecordReader>> => {
      try {
        identified ??= await identifyFile(options.root, options.path);
        return done(
          await recordReader(options, await openPlain(options.root, options.path), identified.sha256),
        );
      } catch (error) {
        if (error instanceof LandingFault) return { ok: false, refusal: error.refusal };
        throw error;
      }
    },
  };
}

/** Reads the header and gives the records of plain bytes. @throws LandingFault where the header is not the contract's. */
export async function recordReader(
  options: CsvOptions,
  plain: PlainBytes,
  identifiedSha256: string,
): Promise<RecordReader> {
  const { source, path } = options;
  const scanner = new RecordScanner(options, plain);
  const header = await readHeader(scanner, source);
  let parsed = 0;
  let rejected = 0;
  let first: RejectedRecord | null = null;
  let skipped = 0;

  const judge = (
    taken: Exclude<Awaited<ReturnType<RecordScanner["next"]>>, "end">,
  ): SourceRecord | RejectedRecord | null => {
    const { scanned, line } = taken;
    const reject = (reason: string, message: string): RejectedRecord => ({
      row: parsed,
      line,
      reason,
      message,
      text: taken.text().slice(0, REJECT_TEXT),
    });
    if (
      scanned.kind === "record" &&
      scanned.blank &&
      header.length > 1 &&
      source.blank_lines === "skip_counted"
    ) {
      skipped += 1;
      return null;
    }
    parsed += 1;
    if (source.limits.records !== undefined && parsed > source.limits.records)
      throw scanner.fault(`the file has more than ${source.limits.records} records`, parsed, null, line);
    if (scanned.kind === "bad") {
      const column = header[scanned.cell] ?? `${scanned.cell + 1}`;
      return reject(
        scanned.reason,
        scanned.reason === "stray-quote"
          ? `a quote stands inside the cell of column ${column}, which has none around it`
          : `text follows the closing quote of column ${column}`,
      );
    }
    if (scanned.blank && header.length > 1) return reject("blank-line", "the line is blank");
    if (scanned.cells.length !== header.length)
      return reject(
        "ragged-row",
        `record ${parsed} has ${scanned.cells.length} fields, the header has ${header.length}`,
      );
    if (scanned.newlinesInCell > source.limits.newlines_in_field) {
      return reject(
        "newlines-in-field",
        `a cell holds ${scanned.newlinesInCell} line ends, ${source.limits.newlines_in_field} are allowed; a quote is perhaps never closed`,
      );
    }
    // Lengths in UTF-16 units are at most the bytes; only what may be too long is measured exactly.
    if (
      scanned.longestCell * 3 > source.limits.field_bytes &&
      scanned.cells.some((cell) => cell !== null && Buffer.byteLength(cell) > source.limits.field_bytes)
    ) {
      return reject(
        "field-too-long",
        `a cell is longer than ${source.limits.field_bytes} bytes; the record begins in line ${line}, and a quote is perhaps not closed`,
      );
    }
    return { row: parsed, cells: scanned.cells };
  };

  async function* batches(): AsyncGenerator<RecordBatch> {
    for (;;) {
      const records: SourceRecord[] = [];
      const rejects: RejectedRecord[] = [];
      let taken = scanner.take(parsed + 1);
      for (; taken !== null && taken !== "end"; taken = scanner.take(parsed + 1)) {
        const judged = judge(taken);
        if (judged === null) continue;
        if ("cells" in judged) records.push(judged);
        else {
          rejected += 1;
          first ??= judged;
          rejects.push(judged);
          if (rejected > source.rejects.max)
            throw tooMany(path, first, rejected, `${source.rejects.max} are allowed`);
        }
      }
      yield { records, rejects, doneBytes: Number(plain.read().delivered) };
      if (taken === "end") break;
      await scanner.refill(parsed + 1);
    }
    if (
      first !== null &&
      source.rejects.rate !== undefined &&
      !isWithinRate(BigInt(rejected), BigInt(parsed), decimal(source.rejects.rate))
    ) {
      throw tooMany(path, first, rejected, `a share of ${source.rejects.rate} is allowed`);
    }
  }

  return {
    header,
    parser: {
      format: "csv",
      delimiter: source.dialect.delimiter,
      quote: source.dialect.quote,
      escape: source.dialect.escape,
      encoding: source.dialect.encoding,
      bom: source.dialect.bom,
      newline: source.dialect.newline,
      header: source.dialect.header,
      null_tokens: JSON.stringify(source.nulls.tokens),
      unquoted_empty: source.nulls.unquoted_empty ? "null" : "text",
      quoted_empty: source.nulls.quoted_empty ? "null" : "text",
      blank_lines: source.blank_lines,
    },
    batches,
    totals: (): ReaderTotals => {
      const sha256 = plain.sha256();
      if (sha256 !== identifiedSha256)
        throw new WapError("source_changed", `${path} changed while it was read`);
      const { delivered, plain: plainBytes } = plain.read();
      return {
        bytes: delivered,
        sha256,
        plainBytes,
        parsed: BigInt(parsed),
        rejected: BigInt(rejected),
        skipped: BigInt(skipped),
      };
    },
  };
}

function tooMany(path: string, first: RejectedRecord, rejected: number, allowed: string): LandingFault {
  return new LandingFault(
    { path, line: first.line, record: first.row, column: null },
    `${first.message} (${first.reason}); ${rejected} ${rejected === 1 ? "record is" : "records are"} no good, ${allowed}`,
  );
}

async function readHeader(scanner: RecordScanner, source: Contract["source"]): Promise<readonly string[]> {
  if (source.dialect.header === "none") {
    const problem = headerProblem(source.columns, source);
    if (problem !== null) throw scanner.fault(problem, null);
    return source.columns;
  }
  const taken = await scanner.next(null);
  if (taken === "end") throw scanner.fault("the file is empty: it has no header", null);
  if (taken.scanned.kind === "bad")
    throw scanner.fault(`the header is not readable (${taken.scanned.reason})`, null, null, taken.line);
  const header = taken.scanned.cells.map((cell) => cell ?? "");
  const problem = headerProblem(header, source);
  if (problem !== null) throw scanner.fault(problem, null, null, taken.line);
  return header;
}
