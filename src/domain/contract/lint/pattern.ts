// Patterns: what PostgreSQL's advanced regular expressions read differently from other dialects, or do not know at all.

const SAFE_ESCAPES = new Set("AdDsSwWmMyYZtnrfve0123456789".split(""));

const ESCAPE_HINTS: Readonly<Record<string, string>> = {
  b: "\\b is a backspace in PostgreSQL, not a word boundary; write \\y",
  B: "\\B is a backslash in PostgreSQL, not a non-boundary; write \\Y",
  p: "PostgreSQL knows no \\p{…}; write a class such as [[:alpha:]]",
  P: "PostgreSQL knows no \\P{…}; write a class such as [^[:alpha:]]",
  z: "PostgreSQL knows no \\z; write \\Z, which is the very end there",
  x: "\\x takes any number of hexadecimal digits in PostgreSQL; write \\u and four digits",
  Q: "PostgreSQL knows no \\Q…\\E; put a backslash before each mark",
};

const GROUP_HINTS: readonly (readonly [start: string, hint: string])[] = [
  ["(?P", "PostgreSQL knows no named groups (?P<…>); write (?:…)"],
  ["(?<=", "lookbehind differs between dialects; say it without, or use row_rule"],
  ["(?<!", "lookbehind differs between dialects; say it without, or use row_rule"],
  ["(?<", "PostgreSQL knows no named groups (?<…>); write (?:…)"],
  ["(?>", "PostgreSQL knows no atomic groups (?>…); write (?:…)"],
  ["(?|", "PostgreSQL knows no branch reset (?|…); write (?:…)"],
  ["(?(", "PostgreSQL knows no conditions in patterns; write two assertions"],
];

/** What is wrong with a pattern in PostgreSQL, or null. Reads it as an advanced regular expression (manual, 9.7.3). */
export function patternProblem(pattern: string): string | null {
  if (pattern === "") return "the pattern is empty";
  if (pattern.startsWith("***"))
    return "the pattern begins with ***, which changes how PostgreSQL reads all of it";
  const open: { readonly lookahead: boolean; readonly number: number | null }[] = [];
  const closed = new Set<number>();
  let captures = 0;
  let quantifiable = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at, at + 12);
    const char = rest.charAt(0);
    if (char === "\\") {
      const read = readEscape(pattern, at);
      if (typeof read === "string") return read;
      const back = /^\\([1-9]\d?)/.exec(rest);
      if (back !== null && !closed.has(Number(back[1])))
        return `${back[0]} repeats a group that is not closed before it`;
      quantifiable = !/[AmMyYZ]/.test(pattern.charAt(at + 1));
      at = read;
    } else if (char === "[") {
      const end = readBracket(pattern, at);
      if (typeof end === "string") return end;
      at = end;
      quantifiable = true;
    } else if (char === "(") {
      const hint = GROUP_HINTS.find(([start]) => rest.startsWith(start));
      if (hint !== undefined) return hint[1];
      if (/^\(\?[a-z]/.test(rest) || rest.startsWith("(?-") || rest.startsWith("(?^")) {
        return "options such as (?i) stand at the very start only in PostgreSQL; write both cases, as in [Aa]";
      }
      open.push({ lookahead: /^\(\?[=!]/.test(rest), number: rest.startsWith("(?") ? null : ++captures });
      at += /^\(\?[:=!]/.test(rest) ? 3 : rest.startsWith("(?#") ? 3 : 1;
      if (rest.startsWith("(?") && !/^\(\?[:=!#]/.test(rest))
        return `PostgreSQL knows no group that begins with ${rest.slice(0, 3)}`;
      quantifiable = false;
    } else if (char === ")") {
      const group = open.pop();
      if (group === undefined) return "a ) closes nothing; write \\) for the mark";
      if (group.number !== null) closed.add(group.number);
      at += 1;
      quantifiable = !group.lookahead;
    } else if (/^(?:[*+?]|\{\d)/.test(rest)) {
      if (!quantifiable) return `nothing stands before ${char} that could be repeated`;
      const bound = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/.exec(rest);
      if (bound === null) return "a { before a digit begins a bound such as {2,5}; write \\{ for the mark";
      if (Number(bound[1] ?? 0) > 255 || Number(bound[2] || 0) > 255)
        return "PostgreSQL repeats at most 255 times";
      if (bound[2] !== undefined && bound[2] !== "" && Number(bound[2]) < Number(bound[1]))
        return "the bound ends before it begins";
      at += bound[0].length;
      if (/^[*+?]/.test(pattern.slice(at)))
        return "PostgreSQL knows no possessive repeats such as a++; leave the second mark out";
      quantifiable = false;
    } else {
      if (rest.startsWith("{,")) return "PostgreSQL reads {,n} as plain text; write {0,n}";
      quantifiable = char !== "|" && char !== "^" && char !== "$";
      at += 1;
    }
  }
  return open.length > 0 ? "a ( is never closed; write \\( for the mark" : null;
}

function readEscape(pattern: string, at: number): number | string {
  const char = pattern.charAt(at + 1);
  if (char === "") return "the pattern ends with a backslash";
  if (char === "u")
    return /^[0-9A-Fa-f]{4}/.test(pattern.slice(at + 2)) ? at + 6 : "write \\u and four hexadecimal digits";
  if (char === "U")
    return /^[0-9A-Fa-f]{8}/.test(pattern.slice(at + 2)) ? at + 10 : "write \\U and eight hexadecimal digits";
  if (!/[A-Za-z0-9]/.test(char) || SAFE_ESCAPES.has(char)) return at + 2;
  return ESCAPE_HINTS[char] ?? `PostgreSQL knows no \\${char}, or reads it differently`;
}

const CLASSES = [
  "alnum",
  "alpha",
  "blank",
  "cntrl",
  "digit",
  "graph",
  "lower",
  "print",
  "punct",
  "space",
  "upper",
  "word",
  "xdigit",
];

function readBracket(pattern: string, start: number): number | string {
  let at = start + 1;
  if (pattern.charAt(at) === "^") at += 1;
  if (pattern.charAt(at) === "]") at += 1;
  while (at < pattern.length) {
    const char = pattern.charAt(at);
    if (char === "]") return at + 1;
    const named = /^\[([:.=])/.exec(pattern.slice(at, at + 2));
    const range = /^([A-Za-z0-9])-([A-Za-z0-9])/.exec(pattern.slice(at, at + 3));
    if (named !== null) {
      const end = pattern.indexOf(`${named[1]}]`, at + 2);
      if (end < 0) return `a [${named[1]} is never closed`;
      const name = pattern.slice(at + 2, end);
      if (named[1] === ":" && !CLASSES.includes(name))
        return `there is no class [:${name.slice(0, 20)}:]; known: ${CLASSES.join(", ")}`;
      at = end + 2;
    } else if (range !== null) {
      if ((range[1] ?? "") > (range[2] ?? "")) return `the range ${range[0]} ends before it begins`;
      at += 3;
    } else if (char === "\\") {
      const read = readEscape(pattern, at);
      if (typeof read === "string") return read;
      const mark = pattern.charAt(at + 1);
      if (/[AmMyYZ1-9]/.test(mark)) return `\\${mark} has no meaning between [ and ]`;
      if (/[dDsSwW]/.test(mark) && /^-[^\]]/.test(pattern.slice(read)))
        return `\\${mark} cannot begin a range`;
      at = read;
    } else at += 1;
  }
  return "a [ is never closed; write \\[ for the mark";
}

/** Whether a pattern matches every text, so that no row could fail it. */
export const matchesAnything = (pattern: string): boolean =>
  /^\^?(?:\(\?:)?(?:\.|\[\\s\\S\])\*\)?\$?$/.test(pattern);
