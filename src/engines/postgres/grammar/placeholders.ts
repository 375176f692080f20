// `{{name}}` in a contract's SQL, found by PostgreSQL's own scanner: never inside a string, a quoted name or a comment.
import { scanSql } from "./parser.ts";

export type Replaced =
  | { readonly ok: true; readonly sql: string }
  /** `at` is an offset in UTF-8 bytes. */
  | { readonly ok: false; readonly message: string; readonly at: number };

/** A quoted name as long as `{{name}}`, so that what the parser says of a place is true of the text that a person wrote. */
export const standInName = (placeholder: string): string => `{${placeholder}}`;
const standIn = (placeholder: string): string => `"${standInName(placeholder)}"`;

/** The text with stand-ins that the grammar can read. */
export async function withStandIns(text: string, placeholders: readonly string[]): Promise<Replaced> {
  const taken = (await scanSql(text)).find((token) =>
    placeholders.some((name) => token.text === standIn(name)),
  );
  if (taken !== undefined)
    return { ok: false, message: `the name ${taken.text} is kept for a placeholder`, at: taken.start };
  return replacePlaceholders(text, new Map(placeholders.map((name) => [name, standIn(name)])));
}

/** Replaces each `{{name}}`; one that is not among the replacements is a problem. */
export async function replacePlaceholders(
  text: string,
  replacements: ReadonlyMap<string, string>,
): Promise<Replaced> {
  const tokens = await scanSql(text);
  const bytes = Buffer.from(text, "utf8");
  const parts: Buffer[] = [];
  let from = 0;
  for (let n = 0; n + 4 < tokens.length; n += 1) {
    const [a, b, name, c, d] = tokens.slice(n, n + 5);
    if (a?.text !== "{" || b?.text !== "{" || c?.text !== "}" || d?.text !== "}" || name === undefined)
      continue;
    const replacement = replacements.get(name.text);
    if (replacement === undefined) {
      const known = [...replacements.keys()].map((key) => `{{${key}}}`).join(" or ");
      return { ok: false, message: `{{${name.text}}} is not a placeholder; write ${known}`, at: a.start };
    }
    if (d.end - a.start !== Buffer.byteLength(name.text) + 4)
      return { ok: false, message: `write {{${name.text}}} without spaces`, at: a.start };
    parts.push(bytes.subarray(from, a.start), Buffer.from(replacement, "utf8"));
    from = d.end;
    n += 4;
  }
  return { ok: true, sql: Buffer.concat([...parts, bytes.subarray(from)]).toString("utf8") };
}
