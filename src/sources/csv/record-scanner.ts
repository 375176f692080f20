// The text of a delivery, decoded and cut into records chunk by chunk; lines are counted, and what cannot be read ends the landing.
import type { Contract } from "../../domain/contract.ts";
import { LandingFault } from "../../domain/landing.ts";
import { markLength, markProblem } from "./byte-order-mark.ts";
import { type DecodeFault, type Decoder, decoderFor, READABLE_ENCODINGS, UTF16_HINT } from "./decode.ts";
import { DamagedDelivery, type PlainBytes } from "./delivered-file.ts";
import { countNewlines, type NullRules, type Scanned, scanRecord } from "./scan-record.ts";

export interface CsvOptions {
  /** Root of the repository; `path` is relative to it and never leaves it. */
  readonly root: string;
  readonly path: string;
  readonly source: Contract["source"];
}

/** A record that was read to its end: good cells, or what is wrong about it. */
export interface Taken {
  readonly scanned:
    | Extract<Scanned, { kind: "record" | "bad" }>
    | { readonly kind: "bad"; readonly reason: "record-too-long"; readonly cell: number };
  /** Line where the record begins. */
  readonly line: number;
  /** The record as delivered, without its line end; a record that is too long is cut. */
  readonly text: () => string;
}

/** What is kept of a record that is too long, in UTF-16 units. */
const EXCERPT = 8192;

/** No JavaScript string holds more than about 512 Mi units, and PostgreSQL no cell of more than 1 GiB. */
const LONGEST_RECORD = 256 * 1024 * 1024;

/** Throws LandingFault where the text cannot be read on. Whatever the chunks, the records and the fault are the same. */
export class RecordScanner {
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly decoder: Decoder;
  private text = "";
  private at = 0;
  private ended = false;
  private started = false;
  private undecodable: DecodeFault | null = null;
  private tooLong: { readonly line: number; readonly cell: number; readonly excerpt: string } | null = null;
  private newline: "lf" | "crlf" | null;
  private readonly nulls: NullRules;
  private readonly recordBytes: number;
  private header: readonly string[] = [];
  /** Line where the next record begins. */
  private line = 1;
  private readonly options: CsvOptions;

  constructor(options: CsvOptions, plain: PlainBytes) {
    const { dialect, nulls, limits } = options.source;
    const decoder = decoderFor(dialect.encoding);
    if (decoder === null) {
      throw new LandingFault(
        { path: options.path, line: 1, record: null, column: null },
        `encoding ${dialect.encoding} is not yet supported; this version reads ${READABLE_ENCODINGS.join(", ")}`,
        "Deliver the file in one of these encodings and declare it as `source.dialect.encoding`.",
      );
    }
    this.options = options;
    this.decoder = decoder;
    this.chunks = plain.chunks[Symbol.asyncIterator]();
    this.newline = dialect.newline === "lf" || dialect.newline === "crlf" ? dialect.newline : null;
    this.recordBytes = Math.min(limits.record_bytes, LONGEST_RECORD);
    this.nulls = {
      unquotedEmpty: nulls.unquoted_empty,
      quotedEmpty: nulls.quoted_empty,
      tokens: new Set(nulls.tokens),
    };
  }

  /** Names of the file's columns in the file's order, for messages. */
  name(header: readonly string[]): void {
    this.header = header;
  }

  fault(
    what: string,
    record: number | null,
    column: string | null = null,
    line = this.line,
    next?: string,
  ): LandingFault {
    return new LandingFault({ path: this.options.path, line, record, column }, what, next);
  }

  /** Gives the file back; nothing can be read afterwards. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  /** The next record if the text at hand holds one whole; null where more has to be read first, "end" after the last one. */
  take(record: number | null): Taken | null | "end" {
    if (!this.started) return null;
    if (this.tooLong !== null) return this.passTooLong(this.tooLong, record);
    if (this.at === this.text.length && this.ended) return "end";
    const start = this.at;
    const scanned = scanRecord(this.text, start, this.options.source.dialect, this.nulls, this.ended);
    const certain =
      scanned.kind === "incomplete"
        ? this.text.length
        : scanned.kind === "fault"
          ? scanned.end
          : scanned.next;
    const over = firstBeyond(this.text, start, certain, this.recordBytes);
    if (over !== null) {
      this.beginTooLong(start, over, record);
      return this.take(record);
    }
    if (scanned.kind === "incomplete") return null;
    const { line } = this;
    if (scanned.kind === "fault") throw this.unreadable(scanned, record);
    if (scanned.kind === "record") {
      this.checkNewline(scanned.ended, line + scanned.linesInside, record);
      this.line += scanned.linesInside + (scanned.ended === "none" ? 0 : 1);
    } else this.line += countNewlines(this.text.slice(start, scanned.next));
    this.at = scanned.next;
    const { text } = this;
    return { scanned, line, text: () => text.slice(start, scanned.next).replace(/\r?\n$/, "") };
  }

  /** As take, reading on until there is a record. */
  async next(record: number | null): Promise<Taken | "end"> {
    for (;;) {
      const taken = this.take(record);
      if (taken !== null) return taken;
      await this.refill(record);
    }
  }

  /** Reads on. As much again as is waiting, at least: a long record is not scanned anew for each chunk of it. */
  async refill(record: number | null): Promise<void> {
    if (this.undecodable !== null) throw this.notDecodable(this.undecodable, record);
    const waiting = this.text.slice(this.at);
    let more = "";
    do {
      const chunk = await this.nextChunk(record);
      const decoded = chunk === null ? this.decoder.end() : this.decoder.push(chunk);
      more += decoded.text;
      this.undecodable = decoded.fault;
      this.ended = chunk === null && decoded.fault === null;
    } while (!this.ended && this.undecodable === null && more.length < waiting.length);
    this.text = waiting + more;
    this.at = 0;
    // Three units are enough to know every byte order mark, also one that was decoded as something else.
    if (!this.started && (this.ended || this.undecodable !== null || this.text.length >= 3)) {
      this.started = true;
      this.checkMark();
    }
  }

  private async nextChunk(record: number | null): Promise<Buffer | null> {
    try {
      const next = await this.chunks.next();
      return next.done === true ? null : next.value;
    } catch (error) {
      if (!(error instanceof DamagedDelivery)) throw error;
      const line = this.line + countNewlines(this.text.slice(this.at));
      throw this.fault(error.message, record, null, line, "Deliver the file again, whole.");
    }
  }

  private checkMark(): void {
    const problem = markProblem(this.text, this.options.source.dialect);
    if (problem !== null) throw this.fault(problem.what, null, null, 1, problem.next);
    this.at = markLength(this.text);
  }

  private column(cell: number): string | null {
    return this.header[cell] ?? null;
  }

  private unreadable(scanned: Extract<Scanned, { kind: "fault" }>, record: number | null): LandingFault {
    const line = this.line + countNewlines(this.text.slice(this.at, scanned.at));
    const column = this.column(scanned.cell);
    switch (scanned.what) {
      case "unclosed-quote":
        return this.fault(
          "a quote opens here and is never closed",
          record,
          column,
          line,
          "Close the quote, or declare `quote: none` where quotes mean nothing.",
        );
      case "nul":
        return this.fault(
          `a cell holds a NUL byte, which text cannot hold${record === null && this.options.source.dialect.encoding === "utf-8" ? UTF16_HINT : ""}`,
          record,
          column,
          line,
        );
      case "bare-cr":
        return this.fault(
          "a carriage return stands alone; line ends are LF or CRLF",
          record,
          column,
          line,
          "Deliver the file with LF or CRLF, and quote cells that hold a carriage return.",
        );
    }
  }

  private notDecodable(fault: DecodeFault, record: number | null): LandingFault {
    const rest = scanRecord(this.text, this.at, this.options.source.dialect, this.nulls, false);
    return this.fault(
      `${fault.what} (byte ${fault.offset} of the text)`,
      record,
      rest.kind === "incomplete" ? this.column(rest.cell) : null,
      this.line + countNewlines(this.text.slice(this.at)),
      "Declare the encoding that the file has, or deliver it in the declared one.",
    );
  }

  /** From the unit `over` on the record is longer than declared. Inside a quote nobody can tell where it ends: that is the end. */
  private beginTooLong(start: number, over: number, record: number | null): void {
    const { dialect } = this.options.source;
    const within = scanRecord(this.text.slice(start, over), 0, dialect, this.nulls, false);
    const what = `the record is longer than ${this.recordBytes} bytes`;
    if (within.kind === "incomplete" && within.quoteAt !== null) {
      const line = this.line + countNewlines(this.text.slice(start, start + within.quoteAt));
      throw this.fault(
        `${what}; the quote that opens here is perhaps never closed`,
        record,
        this.column(within.cell),
        line,
        "Close the quote, or raise `source.limits.record_bytes` where records are this long.",
      );
    }
    const cell = within.kind === "incomplete" ? within.cell : 0;
    this.tooLong = {
      line: this.line,
      cell,
      excerpt: this.text.slice(start, Math.min(over, start + EXCERPT)),
    };
    // The unit that is too many may be the line's end.
    this.line += countNewlines(this.text.slice(start, over - 1));
    this.at = over - 1;
  }

  private passTooLong(
    { line, cell, excerpt }: { readonly line: number; readonly cell: number; readonly excerpt: string },
    record: number | null,
  ): Taken | null {
    const lineEnd = this.text.indexOf("\n", this.at);
    const until = lineEnd === -1 ? this.text.length : lineEnd + 1;
    if (this.text.slice(this.at, until).includes("\0"))
      throw this.fault("the record holds a NUL byte, which text cannot hold", record);
    this.at = until;
    if (lineEnd === -1 && !this.ended) return null;
    if (lineEnd !== -1) this.line += 1;
    this.tooLong = null;
    return { scanned: { kind: "bad", reason: "record-too-long", cell }, line, text: () => excerpt };
  }

  private checkNewline(ended: "lf" | "crlf" | "none", line: number, record: number | null): void {
    if (ended === "none" || this.options.source.dialect.newline === "any") return;
    if (this.newline === null) this.newline = ended;
    else if (this.newline !== ended) {
      throw this.fault(
        `the line ends with ${ended.toUpperCase()}, ${this.options.source.dialect.newline === "uniform" ? "those before with" : "the contract says"} ${this.newline.toUpperCase()}`,
        record,
        null,
        line,
        "Deliver the file with one kind of line end, or declare `newline: any`.",
      );
    }
  }
}

/** The offset after the character with which a record gets longer than `limit` bytes of UTF-8; null where it does not. */
function firstBeyond(text: string, start: number, end: number, limit: number): number | null {
  // A unit has three bytes at most: nearly every record is known to be short enough without being measured.
  if ((end - start) * 3 <= limit) return null;
  let bytes = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code < 0xdc00) {
      bytes += 4;
      at += 1;
    } else bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
    if (bytes > limit) return at + 1;
  }
  return null;
}
