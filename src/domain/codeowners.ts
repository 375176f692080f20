// CODEOWNERS by GitHub's documented rules (docs.github.com: About code owners); read from the base branch only.

/** Where GitHub looks, in order; the first file that is found counts. */
export const CODEOWNERS_PLACES = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"] as const;
/** A larger file is not loaded by GitHub, and owns nothing. */
export const CODEOWNERS_LIMIT = 3 * 1024 * 1024;

export interface CodeownersRule {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly pattern: string;
  /** `@user`, `@org/team` or a mail address; empty where the rule takes ownership away. */
  readonly owners: readonly string[];
  readonly matches: (path: string) => boolean;
}

export interface Codeowners {
  readonly rules: readonly CodeownersRule[];
  /** Lines that GitHub skips. */
  readonly problems: readonly { readonly line: number; readonly sentence: string }[];
}

const OWNER =
  /^(?:@[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?(?:\/[A-Za-z0-9_.-]+)?|[^\s@]+@[^\s@]+\.[^\s@]+)$/;

export function parseCodeowners(text: string): Codeowners {
  if (Buffer.byteLength(text, "utf8") >= CODEOWNERS_LIMIT)
    return {
      rules: [],
      problems: [{ line: 1, sentence: "the file has 3 MB or more, and GitHub does not load it" }],
    };
  const rules: CodeownersRule[] = [];
  const problems: { line: number; sentence: string }[] = [];
  for (const [n, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const [pattern, ...owners] = words(raw);
    if (pattern === undefined) continue;
    const line = n + 1;
    const wrong = owners.find((owner) => !OWNER.test(owner));
    if (pattern.startsWith("!") || pattern.startsWith("\\#") || /[[\]]/.test(pattern))
      problems.push({
        line,
        sentence: `the pattern ${pattern} uses !, \\# or [ ], which GitHub does not understand`,
      });
    else if (wrong !== undefined) problems.push({ line, sentence: `${wrong} is not an owner` });
    else {
      const expression = patternExpression(pattern);
      rules.push({ line, pattern, owners, matches: (path) => expression.test(path) });
    }
  }
  return { rules, problems };
}

/** The rule that decides for a path: the last one that matches; null where none does. */
export const rulingFor = (path: string, { rules }: Codeowners): CodeownersRule | null =>
  rules.findLast((rule) => rule.matches(path)) ?? null;

/** Words of a line: separated by blanks, `\ ` is a blank inside a pattern, a word that begins with # starts a comment. */
function words(line: string): string[] {
  const found: string[] = [];
  for (const match of line.matchAll(/(?:\\.|[^\s\\])+/g)) {
    if (match[0].startsWith("#")) break;
    found.push(match[0]);
  }
  return found;
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** gitignore's patterns as CODEOWNERS knows them: anchored by a slash, `*` within one folder, `**` across folders, case-sensitive. */
function patternExpression(pattern: string): RegExp {
  const folderOnly = pattern.endsWith("/");
  const body = folderOnly ? pattern.slice(0, -1) : pattern;
  const anchored = body.includes("/");
  // `**/**` says no more than `**`, and would take a matcher that goes back a long time.
  const segments = body
    .replace(/^\//, "")
    .split("/")
    .filter((segment, n, all) => segment !== "**" || all[n - 1] !== "**");
  let expression = "";
  for (const [n, segment] of segments.entries()) {
    const last = n === segments.length - 1;
    if (segment === "**") {
      expression += last ? ".+" : "(?:[^/]+/)*";
      continue;
    }
    for (const part of segment.match(/\\.|\*+|\?|[^\\*?]+/g) ?? []) {
      if (part.startsWith("*")) expression += "[^/]*";
      else if (part === "?") expression += "[^/]";
      else expression += literal(part.startsWith("\\") ? part.slice(1) : part);
    }
    if (!last) expression += "/";
  }
  const end = segments.at(-1);
  // `docs/*` is the files of that folder; a name without a trailing slash is a file or a folder with everything below it.
  const below = end === "**" ? "" : folderOnly ? "/.+" : end === "*" && segments.length > 1 ? "" : "(?:/.+)?";
  return new RegExp(`^${anchored ? "" : "(?:.+/)?"}${expression}${below}$`, "u");
}
