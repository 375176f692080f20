// The byte order mark at the start of a delivery: the contract's rule for it, and marks that give away another encoding.
import type { Dialect } from "../../domain/contract/source.ts";

const MARK = "\ufeff";
/** The mark read with its bytes in the wrong order. */
const TURNED = "\ufffe";
/** The three bytes of UTF-8's mark, read as an encoding of one byte a character. */
const UTF8_AS_BYTES = "\u00ef\u00bb\u00bf";

/** What is wrong with the start of a text of at least three units, or of a whole shorter one; null where it is as declared. Pure. */
export function markProblem(
  text: string,
  { bom, encoding }: Dialect,
): { readonly what: string; readonly next?: string } | null {
  if (text.startsWith(TURNED) && encoding.startsWith("utf-16")) {
    const other = encoding === "utf-16le" ? "utf-16be" : "utf-16le";
    return {
      what: `the byte order mark is that of ${other}, the contract declares ${encoding}`,
      next: `Declare \`encoding: ${other}\`.`,
    };
  }
  if (text.startsWith(UTF8_AS_BYTES) && !encoding.startsWith("utf-")) {
    return {
      what: `the file begins with the byte order mark of UTF-8, the contract declares ${encoding}`,
      next: "Declare `encoding: utf-8`.",
    };
  }
  const mark = text.startsWith(MARK);
  if (mark && bom === "forbid")
    return {
      what: "the file begins with a byte order mark, which the contract forbids",
      next: "Deliver the file without it, or declare `bom: strip`.",
    };
  if (!mark && bom === "require")
    return {
      what: "the file does not begin with a byte order mark, which the contract requires",
      next: "Deliver the file with it, or declare `bom: strip`.",
    };
  return null;
}

/** Units to leave out at the start: one mark. A second one is content. */
export const markLength = (text: string): number => (text.startsWith(MARK) ? MARK.length : 0);
