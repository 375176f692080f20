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
import { judgeRecord } from "./judge-record.ts";
import { type CsvOptions, RecordScanner } from "./record-scanner.ts";

/** Bytes of UTF-8 that are kept of a rejected record. */
const REJECT_BYTES = 8192;

/** A file of the repository, plain or gzip (by its first bytes), in the contract's dialect (specification 3). */
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
  const header = await closingOnError(scanner, () => readHeader(scanner, source));
  scanner.name(header);
  let parsed = 0;
  let rejected = 0;
  let skipped = 0;
  let first: RejectedRecord | null = null;

  const tooMany = (bad: RejectedRecord, allowed: string): LandingFault =>
    scanner.fault(
      `${bad.message} (${bad.reason}); ${rejected} ${rejected === 1 ? "record is" : "records are"} no good, ${allowed}`,
      bad.row,
      null,
      bad.line,
      "Correct the delivered file, or allow so many bad records in `source.rejects`.",
    );

  async function* batches(): AsyncGenerator<RecordBatch> {
    try {
      for (;;) {
        const records: SourceRecord[] = [];
        const rejects: RejectedRecord[] = [];
        let taken = scanner.take(parsed + 1);
        for (; taken !== null && taken !== "end"; taken = scanner.take(parsed + 1)) {
          const verdict = judgeRecord(taken, parsed + 1, header, source);
          if (verdict.kind === "skip") {
            skipped += 1;
            continue;
          }
          parsed += 1;
          if (source.limits.records !== undefined && parsed > source.limits.records)
            throw scanner.fault(
              `the file has more than ${source.limits.records} records`,
              parsed,
              null,
              taken.line,
            );
          if (verdict.kind === "record") {
            records.push({ row: parsed, cells: verdict.cells });
            continue;
          }
          rejected += 1;
          const bad: RejectedRecord = {
            row: parsed,
            line: taken.line,
            reason: verdict.reason,
            message: verdict.message,
            text: excerpt(taken.text()),
          };
          first ??= bad;
          if (rejected > source.rejects.max) throw tooMany(first, `${source.rejects.max} are allowed`);
          rejects.push(bad);
        }
        yield { records, rejects, doneBytes: Number(plain.read().delivered) };
        if (taken === "end") break;
        await scanner.refill(parsed + 1);
      }
    } finally {
      await scanner.close();
    }
    const { rate } = source.rejects;
    if (
      first !== null &&
      rate !== undefined &&
      !isWithinRate(BigInt(rejected), BigInt(parsed), decimal(rate))
    )
      throw tooMany(first, `a share of ${rate} is allowed`);
  }

  return {
    header,
    parser: parserSettings(source),
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

const parserSettings = (source: Contract["source"]): Readonly<Record<string, string>> => ({
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
});

/** A copy, since a part of a string keeps the whole chunk that it was cut from alive; never ends within a character. */
function excerpt(text: string): string {
  const bytes = Buffer.from(text.slice(0, REJECT_BYTES));
  let end = Math.min(bytes.length, REJECT_BYTES);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

async function closingOnError<T>(scanner: RecordScanner, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    await scanner.close();
    throw error;
  }
}

async function readHeader(scanner: RecordScanner, source: Contract["source"]): Promise<readonly string[]> {
  const check = (header: readonly string[], line: number): readonly string[] => {
    const problem = headerProblem(header, source);
    if (problem !== null) throw scanner.fault(problem.what, null, null, line, problem.next);
    return header;
  };
  if (source.dialect.header === "none") return check(source.columns, 1);
  const taken = await scanner.next(null);
  if (taken === "end") throw scanner.fault("the file is empty: it has no header", null);
  if (taken.scanned.kind === "bad")
    throw scanner.fault(`the header is not readable (${taken.scanned.reason})`, null, null, taken.line);
  return check(
    taken.scanned.cells.map((cell) => cell ?? ""),
    taken.line,
  );
}
