// Masking of secrets in every form in which they may appear (safety U4).
import { z } from "zod";

const MASK = "***";

/** Secrets shorter than this would mask ordinary words; a password this short is the operator's to change. */
const SHORTEST = 3;

/** Encoded forms and single lines shorter than this are left: they would mask half of every sentence. */
const SHORTEST_PIECE = 6;

const asHex = (text: string): string => Buffer.from(text, "utf8").toString("hex");

const everyByte = (text: string): string => asHex(text).replace(/../g, "%$&");

/** encodeURIComponent without its exceptions, and without its refusal of lone surrogates. */
const percentEncoded = (text: string, keep: RegExp): string =>
  [...text.toWellFormed()].map((char) => (keep.test(char) ? char : everyByte(char).toUpperCase())).join("");

const lowerEscapes = (text: string): string =>
  text.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase());

function urlForms(text: string): string[] {
  const strict = percentEncoded(text, /[A-Za-z0-9_.~-]/);
  const forms = [
    strict,
    percentEncoded(text, /[A-Za-z0-9_.~!'()*-]/),
    percentEncoded(text, /[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]/),
  ];
  return [...forms, ...forms.map(lowerEscapes), strict.replaceAll("%20", "+")];
}

function jsonForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const unicode = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return [
    json,
    // JSON in JSON, as in a webhook's payload that was logged.
    JSON.stringify(json).slice(1, -1),
    json.replaceAll("/", "\\/"),
    json.replace(/[<>&'+]/g, unicode),
    json.replace(/[\u007f-\uffff]/g, unicode),
  ];
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const quotedForms = (text: string): string[] => [
  text.replaceAll("'", "''"),
  text.replaceAll("\\", "\\\\"),
  text.replaceAll("\\", "\\\\").replaceAll("'", "''"),
  text.replaceAll("\\", "\\\\").replaceAll("'", "\\'"),
  text.replaceAll("'", "'\\''"),
  text.replaceAll('"', '""'),
  text.replace(/[^A-Za-z0-9_]/g, (char) => `\\${char}`),
  text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char),
];

/**
 * In base64 a text looks different at each of three offsets. Characters at the ends that hold bits of neighbours are left out: at most
 * one at each end, with less than a byte of the secret.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text, "utf8");
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const whole = (offset + bytes.length) % 3 === 0;
    const own = encoded.slice(offset === 0 ? 0 : offset + 1, whole ? undefined : -1);
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray %: the text is no URL-encoded one.
    return null;
  }
}

/** What has to be masked of one secret: itself, decoded, each of its lines, and each of these in every encoding. */
function formsOf(secret: string): string[] {
  const lines = secret.split(/\r\n|[\r\n]/).map((line) => line.trim());
  const pieces = lines.length === 1 ? [] : lines.filter((line) => line.length >= SHORTEST_PIECE);
  const plain = decoded(secret);
  const texts = [secret, secret.trim(), ...(plain === null ? [] : [plain]), ...pieces];
  return texts.flatMap((text) => [
    text,
    ...[...urlForms(text), ...jsonForms(text), ...quotedForms(text)].filter(
      (form) => form.length >= SHORTEST,
    ),
    ...[everyByte(text), asHex(text), asHex(text).toUpperCase(), ...base64Forms(text)].filter(
      (form) => form.length >= SHORTEST_PIECE,
    ),
  ]);
}

/**
 * A function that masks every form of the given secrets: raw, URL-encoded and decoded, JSON-escaped, quoted for SQL and shells,
 * backslashed, hexadecimal, base64, HTML, and every line of a secret of several lines. Secrets of fewer than 3 characters are left.
 * Forms that overlap are masked together, so that none leaves an end of another behind.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.trim().length >= SHORTEST);
  const forms = [...new Set(known.flatMap(formsOf))].filter((form) => form.trim().length >= SHORTEST);
  return (text) => masked(text, forms);
}

function masked(text: string, forms: readonly string[]): string {
  const places: { from: number; to: number }[] = [];
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1))
      places.push({ from: at, to: at + form.length });
  }
  if (places.length === 0) return text;
  places.sort((a, b) => a.from - b.from);
  let out = "";
  let end = 0;
  for (const { from, to } of places) {
    if (from >= end) out += `${text.slice(end, from)}${MASK}`;
    end = Math.max(end, to);
  }
  return out + text.slice(end);
}

/**
 * The secrets of a connection string: the whole of it, and its password as written and decoded, from the URL's user part, from a
 * `password=` parameter or from a `key=value` string. A password with a raw `/`, `?` or `#` counts as well, though not every client
 * takes it.
 */
export function secretsOfUrl(url: string): string[] {
  const secrets = new Set([url]);
  const add = (password: string): void => {
    if (password === "") return;
    for (const form of [password, decoded(password), decoded(password.replaceAll("+", " "))])
      if (form !== null && form !== "") secrets.add(form);
  };
  for (const userinfo of [/^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i, /^[a-z][a-z0-9+.-]*:\/\/(.*)@/is]) {
    const found = userinfo.exec(url)?.[1];
    const colon = found?.indexOf(":") ?? -1;
    if (found !== undefined && colon !== -1) add(found.slice(colon + 1));
  }
  for (const match of url.matchAll(
    /(?:^|[?&\s])(?:ssl)?password\s*=\s*(?:'((?:[^'\\]|\\.)*)'|([^&\s]+))/gi,
  )) {
    add((match[1] ?? match[2] ?? "").replace(/\\(.)/g, "$1"));
    add(match[1] ?? match[2] ?? "");
  }
  return [...secrets];
}

const messageSchema = z.object({ message: z.string() });
const chainSchema = z.object({
  cause: z.unknown().optional(),
  errors: z.array(z.unknown()).optional(),
  whileCleaning: z.unknown().optional(),
});

const DEEPEST = 10;

/**
 * What an error says, with everything that led to it: its message, its causes, the errors of an AggregateError and one met while
 * cleaning up, each once and redacted. Nothing else of an error is printed: no stack, no query, no parameters.
 */
export function redactError(error: unknown, redact: (text: string) => string): string {
  const said: string[] = [];
  const seen = new Set<unknown>();
  const tell = (one: unknown, link: string, depth: number): void => {
    if (one === undefined || one === null || seen.has(one) || depth > DEEPEST) return;
    seen.add(one);
    const parsed = messageSchema.safeParse(one);
    said.push(
      `${link}${redact(parsed.success ? parsed.data.message : typeof one === "object" ? "an error without a message" : String(one))}`,
    );
    const chain = chainSchema.safeParse(one);
    if (!chain.success) return;
    tell(chain.data.cause, "caused by: ", depth + 1);
    for (const part of chain.data.errors ?? []) tell(part, "among them: ", depth + 1);
    tell(chain.data.whileCleaning, "then, while cleaning up: ", depth + 1);
  };
  tell(error, "", 0);
  return said.join("; ");
}
