// Is a text cell a value of a type? Decided by its shape in SQL, without a cast that could raise, on every server version alike.
import type { Binds } from "./measure.ts";

/** How a file writes numbers and dates. */
export interface Writing {
  readonly decimal: string;
  readonly thousands?: string | undefined;
  readonly date_format: string;
}

export const PLAIN_WRITING: Writing = { decimal: ".", date_format: "YYYY-MM-DD" };

const INTEGER_BOUNDS: Readonly<Record<string, readonly [string, string]>> = {
  smallint: ["-32768", "32767"],
  integer: ["-2147483648", "2147483647"],
  bigint: ["-9223372036854775808", "9223372036854775807"],
};

/** Smallest and largest magnitude that the server reads into a float without an error; zero beside it. */
const FLOAT_BOUNDS: Readonly<Record<string, readonly [string, string]>> = {
  "double precision": ["5e-324", "1.797693134862315e308"],
  real: ["1.5e-45", "3.402823e38"],
};

const BOOLEANS = "'t', 'true', 'f', 'false', 'y', 'yes', 'n', 'no', 'on', 'off', '1', '0'";
const TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]+)?)?";
const OFFSET = "(?:Z|[+-](?:0[0-9]|1[0-5])(?::?[0-5][0-9])?)";
/** Longest text of a number: longer digits could overflow the cast that compares them. */
const NUMBER_CHARACTERS = 1000;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/**
 * SQL that is true for a cell whose text is a value of the type; null for a type whose text is not known here. Words that
 * the server would turn into a value (now, today, infinity, epoch, NaN, J2451187) are no values; so is white space around one.
 * Digits of a fraction beyond a numeric's scale are rounded by the server and accepted.
 */
export function isValueOf(cell: string, type: string, writing: Writing, binds: Binds): string | null {
  const text = `${cell} COLLATE "C"`;
  const shaped = (pattern: string): string => `${text} ~ ${binds.add(`\\A(?:${pattern})\\Z`, "text")}`;
  const bare =
    writing.thousands === undefined ? cell : `replace(${cell}, ${binds.add(writing.thousands, "text")}, '')`;
  const number = (): string =>
    writing.decimal === "."
      ? `${bare}::numeric`
      : `replace(${bare}, ${binds.add(writing.decimal, "text")}, '.')::numeric`;
  const digits =
    writing.thousands === undefined
      ? "[0-9]+"
      : `(?:[0-9]+|[0-9]{1,3}(?:${escaped(writing.thousands)}[0-9]{3})+)`;
  const mark = escaped(writing.decimal);
  const isNumber = (pattern: string, holds: string): string =>
    `CASE WHEN char_length(${cell}) <= ${NUMBER_CHARACTERS} AND ${shaped(pattern)} THEN ${holds} ELSE false END`;
  const decimals = `[+-]?(?:${digits}(?:${mark}[0-9]*)?|${mark}[0-9]+)(?:[eE][+-]?[0-9]{1,3})?`;

  const integer = INTEGER_BOUNDS[type];
  if (integer !== undefined)
    return isNumber(`[+-]?${digits}`, `${bare}::numeric BETWEEN ${integer[0]} AND ${integer[1]}`);
  const numeric = /^numeric(?:\((\d+),(\d+)\))?$/.exec(type);
  if (numeric !== null) {
    const [, precision, scale] = numeric;
    if (precision === undefined || scale === undefined) return isNumber(decimals, "true");
    const limit = `'1e${Number(precision) - Number(scale)}'::numeric`;
    return isNumber(decimals, `abs(round(${number()}, ${Number(scale)})) < ${limit}`);
  }
  const float = FLOAT_BOUNDS[type];
  if (float !== undefined) {
    const value = number();
    return isNumber(
      decimals,
      `${value} = 0 OR abs(${value}) BETWEEN '${float[0]}'::numeric AND '${float[1]}'::numeric`,
    );
  }
  if (type === "boolean") return `lower(${text}) IN (${BOOLEANS})`;
  if (type === "uuid") return shaped("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  if (type === "text") return "true";
  const limited = /^character(?: varying)?(?:\((\d+)\))?$/.exec(type);
  if (limited !== null)
    return limited[1] === undefined ? "true" : `char_length(${cell}) <= ${Number(limited[1])}`;
  const timed = /^(time|timestamp)(?:\(\d\))? (with|without) time zone$/.exec(type);
  if (type === "date") return isDay(text, "", writing.date_format, shaped, binds);
  if (timed === null) return null;
  const [, kind, zone] = timed;
  if (kind === "time") return zone === "without" ? shaped(TIME) : null;
  // A timestamp with a zone has to name its offset: a local time may not exist, or stand for two instants.
  const rest = zone === "with" ? `[T ]${TIME} ?${OFFSET}` : `[T ]${TIME}`;
  return isDay(text, rest, writing.date_format, shaped, binds);
}

/** A date in a format, with a tail behind it, on a day that its month has. */
function isDay(
  text: string,
  tail: string,
  format: string,
  shaped: (pattern: string) => string,
  binds: Binds,
): string {
  const pieces = format.split(/(YYYY|MM|DD)/).filter((piece) => piece !== "");
  const pattern = (captured: string): string =>
    pieces
      .map((piece) => {
        const digits = piece === "YYYY" ? "[0-9]{4}" : /^(?:MM|DD)$/.test(piece) ? "[0-9]{2}" : null;
        if (digits === null) return escaped(piece);
        return piece === captured ? `(${digits})` : digits;
      })
      .join("");
  const part = (name: string): string =>
    `substring(${text} FROM ${binds.add(`\\A${pattern(name)}${tail}\\Z`, "text")})::integer`;
  const [year, month, day] = [part("YYYY"), part("MM"), part("DD")];
  const lastDay = `extract(day FROM make_date(${year}, ${month}, 1) + interval '1 month' - interval '1 day')`;
  return `CASE WHEN ${shaped(`${pattern("")}${tail}`)} THEN
    CASE WHEN ${year} >= 1 AND ${month} BETWEEN 1 AND 12 THEN ${day} BETWEEN 1 AND ${lastDay} ELSE false END ELSE false END`;
}
