// YAML text to a plain value, strictly: YAML 1.2 core, one document, nothing that one tool reads differently from another.
// Numbers keep their source text; every node's place is kept for messages.
import {
  Composer,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type ParsedNode,
  Parser,
  Scalar,
} from "yaml";

export const MAX_CONTRACT_BYTES = 256 * 1024;
/** A contract nests about eight levels. Deeper text is refused before it is composed: composing is recursive. */
const MAX_DEPTH = 40;

export interface TextProblem {
  readonly offset: number;
  readonly code: string;
  readonly message: string;
}

/** Offsets of a node in the text: where its key begins (for a member of a block) and where its value begins. */
interface Place {
  readonly key: number | null;
  readonly value: number;
  readonly scalar: boolean;
}

export interface YamlText {
  /** Maps, lists, text, booleans and null; bare decimal numbers as their source text. Undefined where nothing was read. */
  readonly value: unknown;
  readonly problems: readonly TextProblem[];
  readonly places: ReadonlyMap<string, Place>;
  readonly lines: LineCounter;
}

export const placeKey = (path: readonly (string | number)[]): string => JSON.stringify(path);

/** Words that YAML 1.1 tools, and people, read as true and false, and YAML 1.2 as text. */
const AMBIGUOUS = /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF)$/;
const PLAIN_DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

// Control characters, lone carriage returns, line separators, a BOM inside, and marks that reorder what a reviewer sees.
const BAD_CHARACTER = /(?![\t\n\r])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|[\ufeff\u202a-\u202e\u2066-\u2069]|\r(?!\n)/gu;

function badCharacters(text: string): TextProblem[] {
  const problems: TextProblem[] = [];
  for (const match of text.matchAll(BAD_CHARACTER)) {
    const point = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const hint = match[0] === "\0" ? "a NUL byte" : `the invisible character U+${point}`;
    problems.push({
      offset: match.index,
      code: "bad-character",
      message: `remove ${hint}; write it as an escape in double quotes if it is meant`,
    });
    if (problems.length === 20) break;
  }
  return problems;
}

const isCollection = (token: CST.Token): token is CST.BlockMap | CST.BlockSequence | CST.FlowCollection =>
  token.type === "block-map" || token.type === "block-seq" || token.type === "flow-collection";

/** Offset of the first collection that lies deeper than allowed, or null. Iterative, so that no text exhausts the stack. */
function tooDeep(tokens: readonly CST.Token[]): number | null {
  const open: { token: CST.Token; depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) return token.offset;
    if (token.type === "document" && token.value !== undefined) open.push({ token: token.value, depth });
    if (!isCollection(token)) continue;
    for (const item of token.items) {
      if (item.key !== undefined && item.key !== null) open.push({ token: item.key, depth: depth + 1 });
      if (item.value !== undefined) open.push({ token: item.value, depth: depth + 1 });
    }
  }
  return null;
}

class Walk {
  readonly problems: TextProblem[] = [];
  readonly places = new Map<string, Place>();

  private say(offset: number, code: string, message: string): void {
    this.problems.push({ offset, code, message });
  }

  /** The plain value of a node; problems are collected on the way. */
  value(
    node: ParsedNode | null,
    path: readonly (string | number)[],
    key: number | null,
    fallback: number,
  ): unknown {
    const offset = node?.range[0] ?? fallback;
    this.places.set(placeKey(path), { key, value: offset, scalar: node === null || isScalar(node) });
    if (node === null) return null;
    if (isAlias(node)) {
      this.say(offset, "yaml-alias", `write the value here; an alias (*${node.source}) is not understood`);
      return undefined;
    }
    if (node.anchor !== undefined)
      this.say(offset, "yaml-anchor", `remove the anchor &${node.anchor}; a contract repeats what it means`);
    if (node.tag !== undefined)
      this.say(offset, "yaml-tag", "remove the tag (!…); put text in quotes and write numbers bare");
    if (isMap(node)) return this.map(node.items, path, offset);
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        const inner =
          isMap(item) || isSeq(item) || isScalar(item) || isAlias(item) ? (item as ParsedNode) : null;
        const value = this.value(inner, [...path, index], null, offset);
        if (value === null)
          this.say(
            inner?.range[0] ?? offset,
            "null-in-list",
            'a list cannot hold null; write "null" in quotes if the word is meant',
          );
        return value;
      });
    }
    return this.scalar(node, offset);
  }

  private map(
    items: readonly Pair<ParsedNode, ParsedNode | null>[],
    path: readonly (string | number)[],
    offset: number,
  ): unknown {
    const out: Record<string, unknown> = {};
    const seen = new Set<string>();
    for (const item of items) {
      const at = item.key?.range[0] ?? offset;
      const key = isScalar(item.key) ? this.key(item.key) : null;
      if (key === null) {
        this.say(at, "yaml-key", "write a plain word as the key");
        continue;
      }
      if (item.key.anchor !== undefined) this.say(at, "yaml-anchor", `remove the anchor &${item.key.anchor}`);
      if (item.key.tag !== undefined) this.say(at, "yaml-tag", "remove the tag (!…) before the key");
      if (key === "<<") {
        this.say(at, "yaml-merge", "merge keys (<<) are not understood; write the keys out");
        continue;
      }
      if (key === "__proto__") {
        this.say(at, "unknown-key", 'no block has a key "__proto__"');
        continue;
      }
      if (seen.has(key)) {
        this.say(
          at,
          "duplicate-key",
          `the key ${JSON.stringify(key)} stands here for the second time; keep one`,
        );
        continue;
      }
      seen.add(key);
      out[key] = this.value(item.value, [...path, key], at, item.key.range[1]);
    }
    return out;
  }

  private key(node: Scalar): string | null {
    if (node.type === Scalar.PLAIN)
      return node.source === undefined || node.source === "" ? null : node.source;
    return typeof node.value === "string" ? node.value : null;
  }

  private scalar(node: Scalar, offset: number): unknown {
    if (typeof node.value === "string" && (node.value.includes("\0") || !node.value.isWellFormed())) {
      this.say(
        offset,
        "bad-character",
        "holds a character that PostgreSQL cannot store: NUL or half of a surrogate pair",
      );
    }
    if (node.type !== Scalar.PLAIN) return node.value;
    const source = node.source ?? "";
    if (typeof node.value === "number" || typeof node.value === "bigint") {
      if (!PLAIN_DECIMAL.test(source)) {
        this.say(
          offset,
          "number-form",
          `write ${source.slice(0, 40)} as a plain decimal number, or in quotes if it is text`,
        );
      }
      return source;
    }
    if (typeof node.value === "string" && AMBIGUOUS.test(source)) {
      this.say(
        offset,
        "quote-it",
        `put ${source} in quotes if it is text, or write true or false: tools disagree on what it means`,
      );
    }
    return node.value;
  }
}

const YAML_CODES: Readonly<Record<string, string>> = {
  TAG_RESOLVE_FAILED: "yaml-tag",
  MULTIPLE_DOCS: "yaml-documents",
};

/** Reads text that has no byte order mark any more. Never throws, whatever the text is. */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const problems = badCharacters(text);
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const nothing = { value: undefined, places: new Map<string, Place>(), lines };

  for (const token of tokens) {
    if (token.type !== "directive") continue;
    problems.push({
      offset: token.offset,
      code: "yaml-directive",
      message: "remove the directive (%…); contracts are YAML 1.2",
    });
  }
  if (problems.some((problem) => problem.code === "yaml-directive")) return { ...nothing, problems };
  const deep = tooDeep(tokens);
  if (deep !== null) {
    return {
      ...nothing,
      problems: [
        ...problems,
        { offset: deep, code: "too-deep", message: `nests deeper than ${MAX_DEPTH} levels` },
      ],
    };
  }

  const composer = new Composer({
    version: "1.2",
    schema: "core",
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const documents = [...composer.compose(tokens, true, text.length)];
  for (const document of documents) {
    for (const fault of [...document.errors, ...document.warnings]) {
      if (fault.code === "TAG_RESOLVE_FAILED") continue; // the walk says it, for every tag
      problems.push({
        offset: fault.pos[0],
        code: YAML_CODES[fault.code] ?? "yaml-syntax",
        message: fault.message,
      });
    }
  }
  const second = documents[1];
  if (second !== undefined) {
    const offset = second.contents?.range[0] ?? second.range[0];
    problems.push({
      offset,
      code: "yaml-documents",
      message: "a file holds one contract; put the second document into a file of its own",
    });
  }
  const contents = documents[0]?.contents ?? null;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return {
      ...nothing,
      problems: [...problems, { offset: 0, code: "empty-file", message: "the file holds no contract" }],
    };
  }
  const walk = new Walk();
  const value = walk.value(contents, [], null, 0);
  return { value, problems: [...problems, ...walk.problems], places: walk.places, lines };
}
