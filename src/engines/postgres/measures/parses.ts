// Measure of parses: would each delivered cell become its column's type? Decided by shape in SQL, on every server version alike.
import { parses } from "../../../domain/audits/parses.ts";
import { quoteIdentifier } from "../../../domain/identifier.ts";
import { Binds, type Measure, MeasureRefusal } from "./measure.ts";

interface Writing {
  readonly decimal: string;
  readonly thousands?: string | undefined;
  readonly date_format: string;
}

const INTEGER_BOUNDS: Readonly<Record<string, readonly [string, string]>> = {
  smallint: ["-32768", "32767"],
  integer: ["-2147483648", "2147483647"],
  bigint: ["-9223372036854775808", "9223372036854775807"],
};

const escaped = (char: string): string => char.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/** SQL for "this text is a value of the type"; null for a type whose text this check does not know. */
function readable(cell: string, type: string, writing: Writing, binds: Binds): string | null {
  const plain = writing.thousands === undefined ? cell : `replace(${cell}, ${binds.add(writing.thousands, "text")}, '')`;
  const number = writing.decimal === "." ? plain : `replace(${plain}, ${binds.add(writing.decimal, "text")}, '.')`;
  const digits = writing.thousands === undefined ? "\\d+" : `(?:\\d+|\\d{1,3}(?:${escaped(writing.thousands)}\\d{3})+)`;
  const fraction = `(?:${escaped(writing.decimal)}\\d*)?`;
  const matches = (pattern: string): string => `${cell} ~ ${binds.add(`\\A${pattern}\\Z`, "text")}`;

  const integer = INTEGER_BOUNDS[type];
  if (integer !== undefined) return `CASE WHEN ${matches(`[+-]?${digits}`)} THEN ${plain}::numeric BETWEEN ${integer[0]} AND ${integer[1]} ELSE false END`;
  const numeric = /^numeric(?:\((\d+)(?:, ?(-?\d+))?\))?$/.exec(type);
  if (numeric !== null) {
    const shape = matches(`[+-]?(?:${digits}${fraction}|${escaped(writing.decimal)}\\d+)`);
    if (numeric[1] === undefined) return shape;
    const scale = Number(numeric[2] ?? "0");
    return `CASE WHEN ${shape} THEN abs(round(${number}::numeric, ${scale})) < power(10::numeric, ${Number(numeric[1]) - scale}) ELSE false END`;
  }
  if (type === "double precision" || type === "real") return matches(`[+-]?(?:${digits}${fraction}|${escaped(writing.decimal)}\\d+)(?:[eE][+-]?\\d{1,3})?`);
  if (type === "boolean") return `lower(${cell}) IN ('t', 'true', 'f', 'false', 'y', 'yes', 'n', 'no', 'on', 'off', '1', '0')`;
  if (type === "uuid") return matches("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
  if (type === "text") return "true";
  const limited = /^character(?: varying)?(?:\((\d+)\))?$/.exec(type);
  if (limited !== null) return limited[1] === undefined ? "true" : `char_length(${cell}) <= ${Number(limited[1])}`;
  const time = "(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?";
  if (/^time(?:\(\d\))? without time zone$/.test(type)) return matches(time);
  const day = datePattern(writing.date_format);
  const date = (tail: string): string => {
    const part = (group: number): string => `substring(${cell} FROM ${binds.add(`\\A${pick(day.pattern, group)}${tail}\\Z`, "text")})::integer`;
    const [year, month, dayOfMonth] = [part(day.year), part(day.month), part(day.day)];
    // A day that the month has; make_date only sees months that exist.
    return `CASE WHEN ${matches(`${pick(day.pattern, 0)}${tail}`)} THEN CASE WHEN ${year} >= 1 AND ${month} BETWEEN 1 AND 12
      THEN ${dayOfMonth} BETWEEN 1 AND extract(day FROM make_date(${year}, ${month}, 1) + interval '1 month - 1 day') ELSE false END ELSE false END`;
  };
  if (type === "date") return date("");
  if (/^timestamp(?:\(\d\))? with time zone$/.test(type)) return date(`[T ]${time} ?(?:Z|[+-]\\d{2}(?::?\\d{2})?)`);
  if (/^timestamp(?:\(\d\))? without time zone$/.test(type)) return date(`[T ]${time}`);
  return null;
}

/** A date format as a pattern with three numbered parts, and which of them is which. */
function datePattern(format: string): { readonly pattern: readonly string[]; readonly year: number; readonly month: number; readonly day: number } {
  const pattern = format.split(/(YYYY|MM|DD)/).filter((part) => part !== "");
  const places = pattern.filter((part) => /^(YYYY|MM|DD)$/.test(part));
  return { pattern, year: places.indexOf("YYYY") + 1, month: places.indexOf("MM") + 1, day: places.indexOf("DD") + 1 };
}

/** The pattern as a regular expression that captures one of its parts; none for 0. */
function pick(pattern: readonly string[], group: number): string {
  let place = 0;
  return pattern
    .map((part) => {
      const digits = part === "YYYY" ? "\\d{4}" : part === "MM" || part === "DD" ? "\\d{2}" : null;
      if (digits === null) return escaped(part);
      place += 1;
      return place === group ? `(${digits})` : digits;
    })
    .join("");
}

export const measureParses: Measure = async (assertion, { contract, relations, rawColumns }) => {
  const a = parses.parse(assertion);
  const binds = new Binds();
  const names = a.columns === "all" ? contract.target_schema.map((c) => c.name).filter((name) => rawColumns.includes(name)) : a.columns;
  if (names.length === 0) throw new MeasureRefusal("no column of the target has the name of a delivered column");
  const counted: string[] = [];
  const broken: string[] = [];
  for (const name of names) {
    const declared = contract.target_schema.find((c) => c.name === name);
    if (declared === undefined || !rawColumns.includes(name)) throw new MeasureRefusal(`${name} is not a column of both the file and the target`);
    const cell = `t.${quoteIdentifier(name)}`;
    const ok = readable(cell, declared.type, a, binds);
    if (ok === null) throw new MeasureRefusal(`${name} is ${declared.type}, whose text this check does not know`);
    broken.push(`count(*) FILTER (WHERE ${cell} IS NOT NULL AND NOT (${ok}))`);
    counted.push(name);
  }
  if (a.where !== undefined) throw new MeasureRefusal("`where` is not yet supported by parses");
  return {
    sql: `SELECT n::text AS rows_tested, (${counted.map((_, n) => `b${n}`).join(" + ")})::text AS violations,
        jsonb_object(${binds.add(counted, "text[]")}, ARRAY[${counted.map((_, n) => `b${n}::text`).join(", ")}]) AS measured
      FROM (SELECT count(*) AS n, ${broken.map((sql, n) => `${sql} AS b${n}`).join(", ")} FROM ${relations.raw} AS t) AS counted`,
    values: binds.values,
  };
};
