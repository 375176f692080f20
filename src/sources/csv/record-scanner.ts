// The text of a delivery, decoded and cut into records chunk by chunk; lines are counted, and what cannot be read ends the landing.
import type { Contract } from "../../domain/contract.ts";
import { LandingFault } from "../../domain/landing.ts";
import { type Decoder, decoderFor, READABLE_ENCODINGS } from "./decode.ts";
import type { PlainBytes } from "./delivered-file.ts";
import { type NullRules, type Scanned, scanRecord } from "./scan-record.ts";

export interface CsvOptions {
  /** Root of the repository; `path` is relative to it and never leaves it. */
  readonly root: string;
  readonly path: string;
  readonly source: Contract["source"];
}

/** The text of a delivery as scanned records, with lines counted; throws LandingFault where it cannot be read on. */
export class RecordScanner {
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
