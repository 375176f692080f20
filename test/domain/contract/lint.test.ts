// What a contract that parses may still not say. Each rule is shown with a text that breaks it and nothing else.
import { describe, expect, test } from "vitest";
import { readContract } from "../../../src/contracts/read.ts";
import { isTimeZone } from "../../../src/domain/contract/lint/meaning.ts";
import { patternProblem } from "../../../src/domain/contract/lint/pattern.ts";
import { brief, codes, GOOD, problemsOf, spoiled, TODAY } from "../../contracts/example.ts";

const messageOf = (text: string): string =>
  problemsOf(text)
    .map((problem) => problem.message)
    .join("\n");
const bounds = (assertion: string): string =>
  spoiled('country_set: {check: one_of, column: country, values: ["NO", "SE", "DK"]}', assertion);

describe("what this version does not run", () => {
  test.each([
    ["engine", "refresh: full", "refresh: full\nengine: duckdb"],
    ["refresh", "refresh: full", "refresh: incremental\nincremental: {key: [order_id], merge: upsert}"],
    ["an incremental block", "refresh: full", "refresh: full\nincremental: {key: [order_id], merge: upsert}"],
    ["jsonl", "kind: csv", "kind: jsonl"],
    ["an encoding", "  path:", "  dialect: {encoding: cp437}\n  path:"],
    ["zstd", "path: inbox/orders.csv", "path: inbox/orders.csv.zst"],
    ["a glob", "path: inbox/orders.csv", 'path: "inbox/*.csv"'],
    ["https", "path: inbox/orders.csv", "path: https://example.org/orders.csv"],
    ["a control file", "  path:", "  control_file: inbox/orders.json\n  path:"],
    ["a control field as clock", "  path:", "  as_of: control.made_at\n  path:"],
    ["the table strategy", "refresh: full", "refresh: full\npromotion: {strategy: table}"],
    ["two approvers", "refresh: full", "refresh: full\napproval: {min: 2}"],
    [
      "dbt",
      "transform: {sql: transforms/orders.sql}",
      "transform: {dbt: {project: dbt, select: orders, relation: x.orders}}",
    ],
    ["merged rows", "columns: [order_id]}", "columns: [order_id], of: merged}"],
    ["a check of the language", "check: row_count, min: 1", "check: psi, column: net, min: 1"],
  ])("%s is refused as not yet supported, and nothing else is said", (_, from, to) => {
    expect(codes(spoiled(from, to))).toEqual(["not-yet-supported"]);
  });

  test("the sentence for another kind of source says what is landed", () => {
    const text = GOOD.replace("kind: csv", "kind: table").replace(
      "  path: inbox/orders.csv\n",
      "  relation: raw.orders\n",
    );
    expect(messageOf(text)).toBe("this version lands csv files only");
  });
});

describe("source", () => {
  test("a csv source names its path and its columns", () => {
    expect(codes(spoiled("  path: inbox/orders.csv\n", ""))).toEqual(["missing-key"]);
    expect(messageOf(spoiled("  columns: [order_id, ordered_at, country, net, gross]\n", ""))).toContain(
      'a csv source needs "columns"',
    );
  });

  test("a column that stands twice is an error, one that differs in case only a warning", () => {
    expect(brief(spoiled("net, gross]\ntransform", "net, net]\ntransform"))).toEqual([
      "11:49 error duplicate-column",
    ]);
    expect(codes(spoiled("net, gross]\ntransform", "net, Net]\ntransform"))).toEqual(["case-only"]);
  });

  test("the record's number and system columns are reserved", () => {
    expect(codes(spoiled("net, gross]\ntransform", "net, _src_row]\ntransform"))).toEqual(["reserved-name"]);
    expect(codes(spoiled("net, gross]\ntransform", "net, ctid]\ntransform"))).toEqual(["reserved-name"]);
    expect(codes(spoiled("name: net,", "name: xmin,"))).toContain("reserved-name");
  });

  test("a dialect that contradicts itself is refused", () => {
    const dialect = (text: string): readonly string[] =>
      codes(spoiled("  path:", `  dialect: {${text}}\n  path:`));
    expect(dialect(`delimiter: "'", quote: "'"`)).toEqual(["dialect"]);
    expect(dialect('delimiter: "\\\\", escape: "\\\\"')).toEqual(["dialect"]);
    expect(dialect("delimiter: x")).toEqual(["dialect"]);
    expect(dialect('delimiter: ";;"')).toEqual(["bad-value"]);
    expect(dialect('delimiter: "\\n"')).toEqual(["bad-value"]);
    expect(dialect("encoding: windows-1252, bom: require")).toEqual(["dialect"]);
  });

  test("a cell cannot be longer than its record", () => {
    expect(codes(spoiled("  path:", "  limits: {record_bytes: 10, field_bytes: 11}\n  path:"))).toEqual([
      "limits",
    ]);
  });
});

describe("target", () => {
  test("the server's schemas and wap's own are no place for a target", () => {
    for (const schema of ["pg_catalog", "information_schema", "pg_temp_3", "wap_admin", "wap_stage"]) {
      expect(codes(spoiled("target: mart.orders", `target: ${schema}.orders`)), schema).toEqual([
        "reserved-schema",
      ]);
    }
  });

  test("a name of 40 é has 80 bytes and is refused by its bytes", () => {
    const text = spoiled("target: mart.orders", `target: mart.${"é".repeat(40)}`);
    expect(codes(text)).toEqual(["bad-identifier"]);
    expect(messageOf(text)).toContain("80 bytes");
    expect(codes(spoiled("target: mart.orders", `target: mart.${"é".repeat(31)}`))).toEqual([]);
  });

  test("camelCase and order are names; a name with a double quote is not", () => {
    const named = (name: string): string =>
      GOOD.replace("name: net,", `name: ${name},`).replace("sum: net", `sum: ${name}`);
    expect(codes(named("countryId"))).toEqual([]);
    expect(codes(named("order"))).toEqual([]);
    expect(codes(named("'a\"b'"))).toContain("bad-identifier");
  });

  test.each([
    ["int8", "bigint"],
    ["varchar(20)", "character varying(20)"],
    ["numeric(10)", "numeric(10,0)"],
    ["numeric(10, 2)", "numeric(10,2)"],
    ["BIGINT", "bigint"],
    ["timestamptz(3)", "timestamp(3) with time zone"],
    ["timestamp", "timestamp without time zone"],
    ["float8", "double precision"],
    ["text []", "text[]"],
  ])("the type %s is answered with %s", (short, exact) => {
    expect(
      messageOf(spoiled('{name: gross, type: "numeric(14,2)"', `{name: gross, type: "${short}"`)),
    ).toContain(exact);
  });

  test.each([
    "bigint",
    "numeric",
    "numeric(10,2)",
    "character varying(20)",
    "text[]",
    "timestamp(3) with time zone",
    "interval",
    "uuid",
    "jsonb",
    "double precision",
  ])("the type %s is fine", (type) => {
    const text = GOOD.replace(
      "{name: country, type: text, nulls: never, collation: C}",
      `{name: country, type: "${type}", nulls: never}`,
    );
    expect(codes(text)).toEqual([]);
  });

  test.each([
    "money",
    "xml",
    "hstore",
    "public.mood",
    "numeric(10,11)",
    "numeric(0,0)",
    "text(5)",
    "bigint(2)",
    "timestamp(9) with time zone",
    "; drop table x",
  ])("the type %s is refused", (type) => {
    expect(
      codes(
        GOOD.replace(
          "{name: country, type: text, nulls: never, collation: C}",
          `{name: country, type: "${type}", nulls: never}`,
        ),
      ),
    ).toEqual(["unknown-type"]);
  });

  test("character(n) and a timestamp without zone are warnings", () => {
    expect(brief(spoiled("name: country, type: text", 'name: country, type: "character(2)"'))).toEqual([
      "16:27 warning char-n",
    ]);
  });

  test("an index names columns of the target", () => {
    expect(
      messageOf(spoiled("refresh: full", "refresh: full\npromotion: {indexes: [{columns: [contry]}]}")),
    ).toContain('did you mean "country"?');
  });
});

describe("names and waivers", () => {
  test("nobody writes the check of a waived clause, or the exact schema as advisory", () => {
    expect(
      codes(spoiled("check: row_count, min: 1", 'check: not_applicable, reason: r, approved_by: "@mallory"')),
    ).toEqual(["unknown-check"]);
    expect(codes(bounds("schema_exact: {check: schema_exact}"))).toEqual([]);
    expect(
      codes(
        bounds(
          "s: {check: one_of, column: country, values: [x]}\n    e: {check: schema_exact, level: advisory}",
        ),
      ),
    ).toEqual(["always-gates"]);
  });

  test("an assertion name is unique in the whole file", () => {
    expect(brief(spoiled("order_key:", "rows:"))).toEqual(["23:5 error duplicate-name"]);
  });

  test("a name is a lower-case word of at most 60 characters", () => {
    for (const name of ["Rows", "1rows", "_rows", "ro-ws", `r${"x".repeat(60)}`, '""', '"rows "']) {
      expect(codes(spoiled("    rows: {check: row_count", `    ${name}: {check: row_count`)), name).toEqual([
        "bad-assertion-name",
      ]);
    }
    expect(
      codes(spoiled("    rows: {check: row_count", `    r${"x".repeat(59)}: {check: row_count`)),
    ).toEqual([]);
  });

  test("names of audits that wap adds are taken", () => {
    expect(
      codes(spoiled("    rows: {check: row_count", "    volume_not_applicable: {check: row_count")),
    ).toEqual(["reserved-name"]);
    expect(codes(spoiled("    rows: {check: row_count", "    schema_exact: {check: row_count"))).toEqual([
      "reserved-name",
    ]);
  });

  test("only a contract owner's approver may waive a clause", () => {
    expect(brief(spoiled('approved_by: "@lena"', 'approved_by: "@mallory"'))).toEqual([
      "33:53 error waiver-approver",
    ]);
  });

  test("a waiver ends with its last day, by the day that the caller gives", () => {
    const text = spoiled('approved_by: "@lena"', 'approved_by: "@lena", expires: 2026-11-26');
    expect(readContract("c.yml", text, TODAY).problems).toEqual([]);
    expect(
      readContract("c.yml", text, new Date("2026-11-27T00:00:00Z")).problems.map((problem) => problem.code),
    ).toEqual(["waiver-expired"]);
    expect(codes(spoiled('approved_by: "@lena"', 'approved_by: "@lena", expires: 2026-02-30'))).toEqual([
      "bad-value",
    ]);
  });

  test("conservation of a delivered file cannot be waived", () => {
    const waived = spoiled(
      "    file_ledger: {check: equation, left: parsed, right: [landed, rejected]}",
      '    not_applicable: {reason: no, approved_by: "@lena"}'.replace("reason: no", "reason: none"),
    );
    expect(codes(waived)).toEqual(["waiver-conservation"]);
  });

  test("a clause is waived or declared, not both, and not neither", () => {
    expect(
      codes(
        spoiled(
          "    not_applicable: {reason",
          '    q: {check: quirk, why: w, expect: {check: count, where: "net is null", rows: {max: 0}}}\n    not_applicable: {reason',
        ),
      ),
    ).toEqual(["clause-both"]);
    expect(codes(spoiled("  volume:\n    rows: {check: row_count, min: 1}\n", "  volume: {}\n"))).toEqual([
      "empty-clause",
    ]);
  });

  test("advisory assertions alone do not make a clause", () => {
    expect(brief(spoiled("min: 1}", "min: 1, level: advisory}"))).toEqual(["20:3 error advisory-only"]);
  });
});

describe("assertions", () => {
  test("a column that an assertion names exists, in the stage or in the raw snapshot", () => {
    expect(messageOf(spoiled("columns: [order_id]}", "columns: [order_ld]}"))).toBe(
      'target_schema has no column "order_ld"; did you mean "order_id"?',
    );
    expect(messageOf(spoiled("columns: [order_id]}", "columns: [nothing], of: raw}"))).toBe(
      'source.columns has no column "nothing"',
    );
    expect(codes(spoiled("tolerance:", "group_by: [x], tolerance:"))).toEqual(["unknown-column"]);
    expect(codes(spoiled("sum: gross", "sum: [gross, vat]"))).toEqual(["unknown-column"]);
    expect(
      codes(bounds("r: {check: range, column: net, min: 0, sample: {rows: 3, hide: [secret]}}")),
    ).toEqual(["unknown-column"]);
    expect(codes(bounds("p: {check: parses, columns: [net, total]}"))).toEqual(["unknown-column"]);
    expect(
      codes(spoiled("ordered_at, country, net, gross]", "ordered_at, country, net, gross, note]")),
    ).toEqual([]);
    const noted = spoiled("ordered_at, country, net, gross]", "ordered_at, country, net, gross, note]");
    expect(codes(noted.replace("column: country,", "column: note, of: raw,"))).toEqual(["unknown-column"]);
  });

  test.each([
    ["row_count by group", spoiled("min: 1}", "min: 1, group_by: [country]}")],
    ["row_count with allow", spoiled("min: 1}", "min: 1, allow: {rows: 3}}")],
    ["unique_key with a sample", spoiled("columns: [order_id]}", "columns: [order_id], sample: {rows: 3}}")],
    ["equation with where", spoiled("[landed, rejected]}", "[landed, rejected], where: net > 0}")],
    ["balance with where", spoiled("tolerance:", "where: net > 0, tolerance:")],
    ["parses of the stage", bounds("p: {check: parses, columns: all, of: staged}")],
    ["null_rate with on_null", bounds("n: {check: null_rate, column: net, max: 0, on_null: ignore}")],
    [
      "exclude without groups",
      spoiled("tolerance:", "exclude: {keys_file: k.csv, max_rows: 1, why: w}, tolerance:"),
    ],
    [
      "a fixed value by group",
      spoiled("right: {from: staged, sum: net}", "right: {value: 1}, group_by: [country]"),
    ],
  ])("%s promises what is not measured and is refused", (_, text) => {
    expect(codes(text)).toEqual(["key-not-used"]);
  });

  test("count and custom_sql say what they expect", () => {
    const quirk = (expected: string): readonly string[] =>
      codes(
        spoiled(
          'not_applicable: {reason: new feed, approved_by: "@lena"}',
          `q: {check: quirk, why: w, expect: {${expected}}}`,
        ),
      );
    expect(quirk("check: count, where: net < 0, rows: {max: 3}")).toEqual([]);
    expect(quirk("check: count, rows: {max: 3}")).toEqual(["missing-key"]);
    expect(quirk("check: count, where: net < 0")).toContain("missing-key");
    expect(quirk("check: count, where: net < 0, rows: {min: 0}")).toEqual(["cannot-fail"]);
    expect(quirk("check: count, where: net < 0, rate: {max: 1}")).toEqual(["cannot-fail"]);
    expect(codes(bounds("s: {check: custom_sql, file: a.sql, returns: scalar}"))).toEqual(["missing-key"]);
    expect(
      codes(bounds("s: {check: custom_sql, file: a.sql, returns: scalar, expect: {equals: 0}}")),
    ).toEqual([]);
    expect(codes(bounds("s: {check: custom_sql, file: ../a.sql, returns: failing_rows}"))).toEqual([
      "bad-path",
    ]);
  });

  test("a bound has the kind of its column", () => {
    expect(codes(bounds("r: {check: range, column: net, min: 2020-01-01}"))).toEqual(["wrong-type"]);
    expect(codes(bounds("r: {check: range, column: ordered_at, min: 2020-01-01}"))).toEqual([]);
    expect(codes(bounds("r: {check: range, column: ordered_at, min: 1}"))).toEqual(["wrong-type"]);
  });

  test("parses is not asked to judge a type whose text it does not know", () => {
    const interval = GOOD.replace(
      "{name: country, type: text, nulls: never, collation: C}",
      "{name: country, type: interval, nulls: never}",
    );
    expect(codes(interval.replace(/country_set: .*/, "p: {check: parses, columns: all}"))).toEqual([
      "wrong-type",
    ]);
    expect(codes(interval.replace(/country_set: .*/, "p: {check: parses, columns: [net]}"))).toEqual([]);
  });

  test.each([
    ["row_count from 0", spoiled("min: 1}", "min: 0}")],
    ["row_count without bounds", spoiled("check: row_count, min: 1", "check: row_count")],
    ["null_rate up to 1", bounds("nulls: {check: null_rate, column: country, max: 1}")],
    ["a range without bounds", bounds("r: {check: range, column: net}")],
    [
      "an equation of one term",
      spoiled("left: parsed, right: [landed, rejected]", "left: landed, right: [landed]"),
    ],
    ["a balance of one side", spoiled("sum: gross}", "sum: net}")],
    ["a rule that is true", bounds("r: {check: row_rule, expr: (TRUE)}")],
    ["matches anything", bounds('any: {check: matches, column: country, pattern: ".*"}')],
    [
      "every row may violate",
      bounds('set: {check: one_of, column: country, values: ["NO"], allow: {rate: 1}}'),
    ],
  ])("%s cannot fail and is an error", (_, text) => {
    expect(codes(text)).toEqual(["cannot-fail"]);
  });

  test("bounds that hold nothing are an error", () => {
    expect(codes(bounds("net_range: {check: range, column: net, min: 10, max: 9.99}"))).toEqual([
      "empty-range",
    ]);
  });

  test("a range over text is an error", () => {
    expect(codes(bounds("r: {check: range, column: country, min: 1, max: 2}"))).toEqual(["wrong-type"]);
  });

  test("double precision in a balance is an error at tolerance 0 and fine with a tolerance", () => {
    const float = GOOD.replace('{name: gross, type: "numeric(14,2)"', "{name: gross, type: double precision");
    expect(codes(float)).toEqual(["float-balance"]);
    expect(codes(float.replace(", tolerance: {abs: 0}", ""))).toEqual(["float-balance"]);
    expect(codes(float.replace("tolerance: {abs: 0}", "tolerance: {abs: 0.01}"))).toEqual([]);
  });

  test("keys of character(n) or floating point are warnings", () => {
    expect(codes(spoiled("name: order_id, type: bigint", "name: order_id, type: real"))).toEqual([
      "float-key",
    ]);
    expect(codes(spoiled("name: order_id, type: bigint", 'name: order_id, type: "character(9)"'))).toEqual([
      "char-n",
      "char-n",
    ]);
  });

  test("a date or a timestamp without zone needs a zone, and the zone exists", () => {
    const date = spoiled("type: timestamp with time zone", "type: date");
    expect(codes(date)).toEqual(["zone-missing"]);
    expect(codes(spoiled("at_most: 36h", "at_most: 36h, zone: Europe/Olso"))).toEqual(["unknown-zone"]);
    expect(codes(spoiled("column: ordered_at", "column: country"))).toEqual(["wrong-type"]);
  });

  test("the clock of the delivery has to be declared", () => {
    expect(codes(spoiled("at_most: 36h", "at_most: 36h, clock: as_of"))).toEqual(["clock-missing"]);
    expect(
      codes(
        spoiled("at_most: 36h", "at_most: 36h, clock: as_of").replace(
          "  path:",
          "  as_of: 2026-11-24T06:00:00Z\n  path:",
        ),
      ),
    ).toEqual([]);
  });

  test("an empty relation passes only with a reason", () => {
    expect(codes(spoiled("columns: [order_id]}", "columns: [order_id], on_empty: pass}"))).toEqual([
      "why-missing",
    ]);
    expect(
      codes(
        spoiled(
          "columns: [order_id]}",
          "columns: [order_id], on_empty: pass, why: a new shop has no orders}",
        ),
      ),
    ).toEqual([]);
  });

  test("allow says rows or rate", () => {
    expect(
      codes(bounds('s: {check: one_of, column: country, values: ["NO"], allow: {rows: 1, rate: 0.1}}')),
    ).toEqual(["bad-value"]);
    expect(codes(bounds('s: {check: one_of, column: country, values: ["NO"], allow: {}}'))).toEqual([
      "bad-value",
    ]);
    expect(codes(bounds('s: {check: one_of, column: country, values: ["NO"], allow: {rate: 1.5}}'))).toEqual([
      "bad-value",
    ]);
  });
});

describe("patterns", () => {
  test.each([
    "\\bab",
    "(?P<n>a)",
    "(?<n>a)",
    "(?<=a)b",
    "(?<!a)b",
    "(?>a)",
    "(?i)a",
    "(?i:a)",
    "a++",
    "a*+",
    "a**",
    "\\p{L}",
    "\\x41",
    "[\\b]",
    "a\\z",
    "(a",
    "a)",
    "[a",
    "a{256}",
    "a{3,2}",
    "a{2",
    "*a",
    "a|*",
    "^*",
    "\\y+",
    "***=a",
    "",
    "a\\",
    "[[:alpha:]",
    "(?#x",
    "\\u12",
    "(?=a)+",
    "a$*",
    "[z-a]",
    "[\\w-z]",
    "(a)\\2",
    "(a\\1)",
    "[\\Z]",
    "[[:foo:]]",
    "a+??",
  ])("%s is refused", (pattern) => {
    expect(patternProblem(pattern)).not.toBeNull();
  });

  test.each([
    "S\\d{9}",
    "O'[A-Z]+",
    "[^@\\s]+@[^@\\s]+",
    "\\d{5}-\\d{3}",
    "a|b",
    "(?:ab)+?",
    "(?=a).",
    "(?!a).",
    "[]a]",
    "[^]a]",
    "[[:alpha:]_]{2,}",
    "\\yab\\y",
    "a{1,3}?",
    "\\Aab\\Z",
    "{x}",
    "a{x",
    "\\u00e9",
    "(a)\\1",
    "\\.",
    "[a\\]b]",
    "[[.-.]]",
    "()*",
    "(|a)",
    "|",
    "a??",
    "[\\w.-]+",
    "((a)\\2)",
    "[a-z0-9_-]",
  ])("%s is fine", (pattern) => {
    expect(patternProblem(pattern)).toBeNull();
  });

  test("a pattern is judged where it stands", () => {
    const text = bounds("p: {check: matches, column: country, pattern: '\\bab'}");
    expect(brief(text)).toEqual(["27:51 error pattern"]);
    expect(messageOf(text)).toContain("\\y");
  });
});

describe("time zones", () => {
  test("IANA names exist; abbreviations, offsets and other cases do not", () => {
    for (const zone of ["UTC", "Europe/Oslo", "America/New_York", "America/Argentina/Ushuaia"])
      expect(isTimeZone(zone), zone).toBe(true);
    for (const zone of [
      "CET",
      "EST5EDT",
      "+02:00",
      "europe/oslo",
      "Europe/Olso",
      "",
      "Etc/",
      "UTC+2",
      "Mars/Base",
    ])
      expect(isTimeZone(zone), zone).toBe(false);
  });
});
