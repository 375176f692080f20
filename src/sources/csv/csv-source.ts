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
import { type Decoder, decoderFor, READABLE_ENCODINGS } from "./decode.ts";
import { identifyFile, openPlain, type PlainBytes } from "./delivered-file.ts";
import { headerProblem } from "./header.ts";
import { type NullRules, type Scanned, scanRecord } from "./scan-record.ts";

export interface CsvOptions {
  /** Root of the repository; `path` is relative to it and never leaves it. */
  readonly root: string;
  readonly path: string;
  readonly source: Contract["source"];
}

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
        return done(await openReader(options, identified.sha256));
      } catch (error) {
        if (error instanceof LandingFault) return { ok: false, refusal: error.refusal };
        throw error;
      }
    },
  };
}

/** The text of a delivery as scanned records, with lines counted; throws LandingFault where it cannot be read on. */
class RecordScanner {
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly decoder: Decoder;
  private text = "";
  private at = 0;
  private ended = false;
  private started = false;
  private newline: "lf" | "crlf" | null;
  private readonly nulls: NullRules;
  /** Line where the next record begins. */
  line = 1;
  private readonly options: CsvOptions;

  constructor(options: CsvOptions, plain: PlainBytes) {
    const { dialect, nulls } = options.source;
    const decoder = decoderFor(dialect.encoding);
    if (decoder === null) {
      throw new LandingFault(
        { path: options.path, line: 1, record: null, column: null },
        `encoding ${dialect.encoding} is not yet supported; this version reads ${READABLE_ENCODINGS.join(", ")}`,
      );
    }
    this.options = options;
    this.decoder = decoder;
    this.chunks = plain.chunks[Symbol.asyncIterator]();
    this.newline = dialect.newline === "lf" || dialect.newline === "crlf" ? dialect.newline : null;
    this.nulls = {
      unquotedEmpty: nulls.unquoted_empty,
      quotedEmpty: nulls.quoted_empty,
      tokens: new Set(nulls.tokens),
    };
  }

  fault(what: string, record: number | null, column: string | null = null, line = this.line): LandingFault {
    return new LandingFault({ path: this.options.path, line, record, column }, what);
  }

  /** True when a record can be scanned from the text at hand, or the text has ended. */
  private async more(record: number | null): Promise<void> {
    const next = await this.chunks.next();
    const piece = next.done === true ? this.decoder.end() : this.decoder.push(next.value);
    if (typeof piece !== "string")
      throw this.fault(
        `${piece.what} (byte ${piece.offset} of the text)`,
        record,
        null,
        this.line + lines(this.text, this.at),
      );
    this.text = this.text.slice(this.at) + piece;
    this.at = 0;
    this.ended = next.done === true;
    if (!this.started && this.text.length > 0) {
      this.started = true;
      const mark = this.text.charCodeAt(0) === 0xfeff;
      const { bom } = this.options.source.dialect;
      if (mark && bom === "forbid")
        throw this.fault("the file begins with a byte order mark, which the contract forbids", null);
      if (!mark && bom === "require")
        throw this.fault("the file does not begin with a byte order mark, which the contract requires", null);
      if (mark) this.text = this.text.slice(1);
    }
  }

  /** The next record if the text at hand holds one whole; null where more has to be read first, "end" after the last one. */
  take(record: number | null):
    | {
        readonly scanned: Extract<Scanned, { kind: "record" | "bad" }>;
        readonly line: number;
        readonly text: () => string;
      }
    | null
    | "end" {
    if (this.at === this.text.length && this.ended) return "end";
    const { dialect, limits, columns } = this.options.source;
    const start = this.at;
    const scanned = scanRecord(this.text, start, dialect, this.nulls, this.ended);
    if (scanned.kind === "incomplete") {
      if (this.text.length - start > limits.record_bytes) {
        const hint = scanned.insideQuote ? "; a quote that opens in it is perhaps never closed" : "";
        throw this.fault(`the record is longer than ${limits.record_bytes} bytes${hint}`, record);
      }
      return null;
    }
    if (scanned.kind === "fault") {
      const line = this.line + lines(this.text.slice(0, scanned.at), start);
      const what = {
        "unclosed-quote": "a quote opens here and is never closed",
        nul: "a cell holds a NUL byte, which text cannot hold",
        "bare-cr": "a carriage return stands alone; line ends are LF or CRLF",
      }[scanned.what];
      throw this.fault(what, record, columns[scanned.cell] ?? null, line);
    }
    const line = this.line;
    if (scanned.kind === "record") {
      this.checkNewline(scanned.ended, record);
      this.line += scanned.linesInside + (scanned.ended === "none" ? 0 : 1);
    } else this.line += lines(this.text.slice(0, scanned.next), start);
    this.at = scanned.next;
    const { text } = this;
    return { scanned, line, text: () => text.slice(start, scanned.next).replace(/\r?\n$/, "") };
  }

  async next(record: number | null): Promise<Exclude<ReturnType<RecordScanner["take"]>, null>> {
    for (;;) {
      const taken = this.started || this.ended ? this.take(record) : null;
      if (taken !== null) return taken;
      await this.more(record);
    }
  }

  async refill(record: number): Promise<void> {
    await this.more(record);
  }

  private checkNewline(ended: "lf" | "crlf" | "none", record: number | null): void {
    if (ended === "none" || this.options.source.dialect.newline === "any") return;
    if (this.newline === null) this.newline = ended;
    else if (this.newline !== ended) {
      throw this.fault(
        `the line ends with ${ended.toUpperCase()}, ${this.options.source.dialect.newline === "uniform" ? "those before with" : "the contract says"} ${this.newline.toUpperCase()}`,
        record,
      );
    }
  }
}

/** Line ends in `text` from an offset on. */
function lines(text: string, from: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

async function openReader(options: CsvOptions, identifiedSha256: string): Promise<RecordReader> {
  const { source, path } = options;
  const plain = await openPlain(options.root, path);
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
