// Whether a scanned record is one of the contract's: landed, skipped as a blank line, or set aside with a reason.
import type { Contract } from "../../domain/contract.ts";
import type { Taken } from "./record-scanner.ts";
import { countNewlines } from "./scan-record.ts";

export type RecordVerdict =
  | { readonly kind: "record"; readonly cells: readonly (string | null)[] }
  | { readonly kind: "skip" }
  | {
      readonly kind: "reject";
      /** Kebab-case, kept with the record. */
      readonly reason: string;
      /** Names the column where it is known; holds names and counts, never a cell. */
      readonly message: string;
    };

const reject = (reason: string, message: string, column?: string): RecordVerdict => ({
  kind: "reject",
  reason,
  message: column === undefined ? message : `column ${column}: ${message}`,
});

/** Pure. `record` is the number that the record has, or would have. */
export function judgeRecord(
  { scanned, line }: Pick<Taken, "scanned" | "line">,
  record: number,
  header: readonly string[],
  { limits, blank_lines }: Contract["source"],
): RecordVerdict {
  if (scanned.kind === "bad") {
    const column = header[scanned.cell];
    switch (scanned.reason) {
      case "stray-quote":
        return reject(scanned.reason, "a quote stands inside a cell that has none around it", column);
      case "text-after-quote":
        return reject(scanned.reason, "text follows the closing quote of a cell", column);
      case "record-too-long":
        return reject(scanned.reason, `the record is longer than ${limits.record_bytes} bytes`);
    }
  }
  // In a file of one column a blank line is a record: its only cell is empty.
  if (scanned.blank && header.length > 1)
    return blank_lines === "skip_counted" ? { kind: "skip" } : reject("blank-line", "the line is blank");
  const { cells } = scanned;
  if (cells.length !== header.length)
    return reject(
      "ragged-row",
      `record ${record} has ${cells.length} fields, the header has ${header.length}`,
    );
  if (scanned.newlinesInCell > limits.newlines_in_field) {
    const cell = cells.findIndex((text) => text !== null && countNewlines(text) > limits.newlines_in_field);
    return reject(
      "newlines-in-field",
      `a cell holds ${scanned.newlinesInCell} line ends, ${limits.newlines_in_field} are allowed; a quote is perhaps never closed`,
      header[cell],
    );
  }
  // Lengths in UTF-16 units are at least a third of the bytes; only what may be too long is measured.
  if (scanned.longestCell * 3 > limits.field_bytes) {
    const cell = cells.findIndex((text) => text !== null && Buffer.byteLength(text) > limits.field_bytes);
    if (cell !== -1) {
      return reject(
        "field-too-long",
        `a cell is longer than ${limits.field_bytes} bytes; the record begins in line ${line}, and a quote is perhaps never closed`,
        header[cell],
      );
    }
  }
  return { kind: "record", cells };
}
