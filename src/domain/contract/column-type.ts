// Column types of a target: the spellings of PostgreSQL's format_type that a contract may hold, and what they are.

export type TypeFamily =
  | "exact"
  | "float"
  | "text"
  | "char"
  | "boolean"
  | "date"
  | "timestamp"
  | "timestamptz"
  | "time"
  | "interval"
  | "other";

export interface ColumnType {
  readonly family: TypeFamily;
  readonly array: boolean;
}

const FAMILIES: Readonly<Record<string, TypeFamily>> = {
  smallint: "exact",
  integer: "exact",
  bigint: "exact",
  numeric: "exact",
  real: "float",
  "double precision": "float",
  text: "text",
  "character varying": "text",
  character: "char",
  boolean: "boolean",
  date: "date",
  "timestamp without time zone": "timestamp",
  "timestamp with time zone": "timestamptz",
  "time without time zone": "time",
  "time with time zone": "time",
  interval: "interval",
  uuid: "other",
  json: "other",
  jsonb: "other",
  bytea: "other",
};

/** Short names that PostgreSQL understands but never prints, with the spelling that format_type prints. */
const ALIASES: Readonly<Record<string, string>> = {
  int: "integer",
  int2: "smallint",
  int4: "integer",
  int8: "bigint",
  decimal: "numeric",
  dec: "numeric",
  float: "double precision",
  float4: "real",
  float8: "double precision",
  bool: "boolean",
  varchar: "character varying",
  "char varying": "character varying",
  char: "character",
  bpchar: "character",
  string: "text",
  timestamptz: "timestamp with time zone",
  timestamp: "timestamp without time zone",
  timetz: "time with time zone",
  time: "time without time zone",
  datetime: "timestamp without time zone",
};

const PARTS = /^([a-z][a-z0-9 ]*?)(?:\((\d{1,5})(?:,(-?\d{1,5}))?\))?( with(?:out)? time zone)?(\[\])?$/;

const sizeProblem = (base: string, first: number | null, second: number | null): string | null => {
  switch (base) {
    case "numeric":
      if (first !== null && (first < 1 || first > 1000)) return "the precision of a numeric is 1 to 1000";
      if (first !== null && second === null) return `write numeric(${first},0): format_type prints the scale`;
      if (second !== null && (second < 0 || second > (first ?? 0)))
        return "the scale of a numeric is 0 to its precision";
      return null;
    case "character varying":
    case "character":
      if (second !== null || first === 0 || (first ?? 0) > 10_485_760) return "write one length, 1 or more";
      if (base === "character" && first === null) return "write character(1), which is what character means";
      return null;
    case "timestamp without time zone":
    case "timestamp with time zone":
    case "time without time zone":
    case "time with time zone":
    case "interval":
      return second !== null || (first ?? 0) > 6 ? "the precision of a time is 0 to 6" : null;
    default:
      return first === null ? null : `${base} takes no length`;
  }
};

/** The type, or a sentence that says what is wrong and gives the exact spelling where it can. */
export function parseColumnType(text: string): ColumnType | string {
  const folded = text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/ ?([(),[\]]) ?/g, "$1")
    .replace(/\)(?=with)/, ") ");
  const match = PARTS.exec(folded);
  if (match === null) return `PostgreSQL's format_type prints no type ${JSON.stringify(text.slice(0, 60))}`;
  const [, word = "", size, scale, zone = "", list = ""] = match;
  const written = `${word}${zone}`;
  const base = Object.hasOwn(FAMILIES, written)
    ? written
    : Object.hasOwn(ALIASES, written)
      ? ALIASES[written]
      : undefined;
  const family = base === undefined ? undefined : FAMILIES[base];
  if (base === undefined || family === undefined) {
    return `the type ${JSON.stringify(text.slice(0, 60))} is not one that a target may have: ${Object.keys(FAMILIES).join(", ")}, and lists of them`;
  }
  const first = size === undefined ? null : Number(size);
  const second = scale === undefined ? null : Number(scale);
  const problem = sizeProblem(base, first, second);
  if (problem !== null) return problem;
  const exact = spelling(base, first, second, list);
  return exact === text ? { family, array: list !== "" } : `write it as format_type prints it: ${exact}`;
}

function spelling(base: string, first: number | null, second: number | null, list: string): string {
  const size = first === null ? "" : second === null ? `(${first})` : `(${first},${second})`;
  const zoned = /^(time|timestamp)( with(?:out)? time zone)$/.exec(base);
  return zoned === null ? `${base}${size}${list}` : `${zoned[1]}${size}${zoned[2]}${list}`;
}
