// Secrets are masked in every form in which they may turn up (safety U4, github R30).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WapError } from "../../src/domain/errors.ts";
import { redactError, redactor, secretsOfUrl } from "../../src/domain/secrets.ts";

const SECRET = "p@ss w/rd%'é\"\\q+&=<7";

const forms: readonly (readonly [string, string])[] = [
  ["as it is", SECRET],
  ["URL-encoded", encodeURIComponent(SECRET)],
  ["URL-encoded in lower case", encodeURIComponent(SECRET).toLowerCase().replace("%c3%a9", "%c3%a9")],
  ["URL-encoded as a form", new URLSearchParams({ x: SECRET }).toString().slice(2)],
  ["JSON-escaped", JSON.stringify(SECRET).slice(1, -1)],
  ["JSON in JSON", JSON.stringify(JSON.stringify(SECRET))],
  ["JSON with escaped slashes", JSON.stringify(SECRET).replaceAll("/", "\\/")],
  ["JSON in plain ASCII", JSON.stringify(SECRET).replaceAll("é", "\\u00e9")],
  ["quoted for SQL", `'${SECRET.replaceAll("'", "''")}'`],
  ["quoted for SQL's E'' strings", SECRET.replaceAll("\\", "\\\\").replaceAll("'", "''")],
  ["quoted for a shell", `'${SECRET.replaceAll("'", "'\\''")}'`],
  ["backslashed", SECRET.replace(/[^A-Za-z0-9_]/g, (char) => `\\${char}`)],
  ["as a CSV cell", `"${SECRET.replaceAll('"', '""')}"`],
  [
    "in HTML",
    SECRET.replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  ],
  ["hexadecimal", Buffer.from(SECRET).toString("hex")],
  ["hexadecimal in capitals", Buffer.from(SECRET).toString("hex").toUpperCase()],
];

describe("one secret is masked", () => {
  const redact = redactor([SECRET]);
  test.each(forms)("%s", (_, form) => {
    const masked = redact(`before ${form} after`);
    // Whatever stands around it is the quoting of the form.
    expect(masked).toMatch(/^before ['"\\]*\*\*\*['"\\]* after$/);
  });

  test.each([0, 1, 2])("in base64 behind %d other bytes", (offset) => {
    const text = Buffer.concat([Buffer.alloc(offset, 65), Buffer.from(SECRET), Buffer.from("zz")]).toString(
      "base64",
    );
    const masked = redact(text);
    expect(masked).toContain("***");
    // What is left are the neighbours' characters, and one at each end that holds bits of both.
    expect(masked).toMatch(/^.{0,3}\*\*\*.{0,6}$/);
  });

  test("every form that another program makes, of any secret", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 30, unit: "grapheme" }), (secret) => {
        fc.pre(secret.trim().length >= 8);
        const masking = redactor([secret]);
        for (const form of [
          secret,
          encodeURIComponent(secret),
          JSON.stringify(secret),
          Buffer.from(secret).toString("base64url"),
          Buffer.from(secret).toString("hex"),
        ]) {
          expect(masking(`x=${form};`)).toContain("***");
          expect(masking(`x=${form};`)).not.toContain(form);
        }
      }),
      { seed: 20261126 },
    );
  });
});

describe("several secrets", () => {
  test("each line of a secret of several lines is masked, also in another encoding", () => {
    const key = "-----BEGIN KEY-----\nMIIEabcdefgh/12345\r\n  indented-line-9\n-----END KEY-----";
    const redact = redactor([key]);
    expect(redact("at MIIEabcdefgh/12345.")).toBe("at ***.");
    expect(redact("at MIIEabcdefgh%2F12345.")).toBe("at ***.");
    expect(redact("at indented-line-9.")).toBe("at ***.");
    expect(redact(JSON.stringify(key))).toBe('"***"');
  });

  test("secrets that overlap leave no end of each other behind", () => {
    expect(redactor(["abcdef", "defghi"])("x abcdefghi y")).toBe("x *** y");
    expect(redactor(["hunter2", "hunter2-and-more"])("hunter2-and-more hunter2")).toBe("*** ***");
  });

  test("masking twice is masking once", () => {
    const redact = redactor([SECRET, "another one"]);
    const once = redact(`a ${SECRET} b another one`);
    expect(redact(once)).toBe(once);
  });

  test("an empty or tiny secret masks nothing, or every word would go", () => {
    expect(redactor(["", "a", "ab", "  "])("a cab, ab  c")).toBe("a cab, ab  c");
  });
});

describe("secretsOfUrl", () => {
  test.each([
    ["postgres://u:p%40ss%2Fw@h:5432/db?sslmode=require", ["p%40ss%2Fw", "p@ss/w"]],
    ["postgres://u:raw/slash#hash@h/db", ["raw/slash#hash"]],
    ["postgres://u@h/db?password=a%20b", ["a%20b", "a b"]],
    ["postgres://u@h/db?user=x&sslpassword=k3y", ["k3y"]],
    ["password=first host=h", ["first"]],
    ["host=h password='it\\'s \\\\ x' user=u", ["it's \\ x"]],
    ["postgres://u:100%@h/db", ["100%"]],
  ])("finds the password of %s", (url, passwords) => {
    const found = secretsOfUrl(url);
    expect(found).toContain(url);
    for (const password of passwords) expect(found).toContain(password);
    expect(redactor(found)(`refused: ${url}`)).toBe("refused: ***");
  });

  test("a string without a password is a secret as a whole", () => {
    expect(secretsOfUrl("postgres://u@h/db")).toEqual(["postgres://u@h/db"]);
  });
});

describe("redactError", () => {
  const redact = redactor([SECRET]);

  test("tells the message and every cause, redacted, and nothing else", () => {
    const cause = Object.assign(new Error(`connect with ${encodeURIComponent(SECRET)}`), {
      detail: SECRET,
      query: SECRET,
    });
    const error = new WapError("connection_failed", "the database did not answer", {
      cause,
      whileCleaning: new Error(`then ${SECRET}`),
    });
    expect(redactError(error, redact)).toBe(
      "the database did not answer; caused by: connect with ***; then, while cleaning up: then ***",
    );
  });

  test("ends for causes that go round, and for things that are no errors", () => {
    const one = new Error("one");
    one.cause = new Error("two", { cause: one });
    expect(redactError(one, redact)).toBe("one; caused by: two");
    expect(redactError(new AggregateError([new Error(SECRET), "text"], "all failed"), redact)).toBe(
      "all failed; among them: ***; among them: text",
    );
    expect(redactError(`plain ${SECRET}`, redact)).toBe("plain ***");
    expect(redactError({}, redact)).toBe("an error without a message");
  });
});
