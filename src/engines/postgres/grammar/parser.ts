// PostgreSQL's own grammar (libpg-query, PostgreSQL 18), loaded when first needed. A thin wrapper of our own: the package's entry begins
// to load at import and looks for its file beside itself.
import { setFlagsFromString } from "node:v8";
import createModule from "libpg-query/wasm/libpg-query.js";
import { z } from "zod";
import { wasmBinary } from "./wasm-binary.ts";

export type SqlTree = null | boolean | number | string | SqlTree[] | { [key: string]: SqlTree };

export type Parsed =
  /** `at` is the statement's offset in UTF-8 bytes. */
  | { readonly ok: true; readonly statements: readonly { readonly tree: SqlTree; readonly at: number }[] }
  /** `offset` counts characters from 0. */
  | { readonly ok: false; readonly message: string; readonly offset: number };

export interface Token {
  /** Offsets in UTF-8 bytes. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type GrammarModule = Awaited<ReturnType<typeof createModule>>;

/** Whatever JSON.parse answers is a tree: a schema that looked inside would only overflow the stack on a deep one. */
const treeSchema = z.custom<SqlTree>((value) => value !== undefined);
const parseResult = z.object({
  stmts: z.array(z.object({ stmt: treeSchema, stmt_location: z.number().default(0) })).optional(),
});
const scanResult = z.object({
  tokens: z.array(z.object({ start: z.number().default(0), end: z.number().default(0), text: z.string() })),
});

/** Longer than any query that a person writes; the parser's memory grows with the text. */
const LONGEST = 1_048_576;

let loading: Promise<GrammarModule> | null = null;

function load(): Promise<GrammarModule> {
  loading ??= (async () => {
    // On Node 24 the background compiler would take 600 MB for the parser's one huge function. A V8 that no longer knows the flags
    // ignores them.
    setFlagsFromString("--no-wasm-tier-up");
    setFlagsFromString("--no-wasm-dynamic-tiering");
    const compiled = await WebAssembly.compile(Uint8Array.from(wasmBinary()));
    return createModule({
      instantiateWasm: (imports, ready) => {
        void WebAssembly.instantiate(compiled, imports).then((instance) => ready(instance, compiled));
        return {};
      },
    });
  })();
  return loading;
}

type Ask<T> = (grammar: GrammarModule, pointer: number) => T;

/**
 * Lends a text to the module as a C string. A module that ran out of stack is thrown away: the text is nested too deeply, and the
 * answer is null.
 */
async function ask<T>(text: string, question: Ask<T>): Promise<T | null> {
  const grammar = await load();
  const length = grammar.lengthBytesUTF8(text) + 1;
  const pointer = grammar._malloc(length);
  try {
    grammar.stringToUTF8(text, pointer, length);
    const answer = question(grammar, pointer);
    grammar._free(pointer);
    return answer;
  } catch (error) {
    loading = null;
    // RuntimeError is WebAssembly's own, for a trap.
    if (error instanceof RangeError || (error instanceof Error && error.name === "RuntimeError")) return null;
    throw error;
  }
}

const askForTree: Ask<Parsed> = (grammar, pointer) => {
  const result = grammar._wasm_parse_query_raw(pointer);
  // struct PgQueryParseResult { char *parse_tree; char *stderr_buffer; PgQueryError *error; }
  const error = grammar.getValue(result + 8, "i32");
  const tree = error === 0 ? grammar.UTF8ToString(grammar.getValue(result, "i32")) : "{}";
  const said = error === 0 ? "" : grammar.UTF8ToString(grammar.getValue(error, "i32"));
  const cursor = error === 0 ? 0 : grammar.getValue(error + 16, "i32");
  grammar._wasm_free_parse_result(result);
  if (error !== 0) return { ok: false, message: said, offset: Math.max(0, cursor - 1) };
  const { stmts } = parseResult.parse(JSON.parse(tree));
  return {
    ok: true,
    statements: (stmts ?? []).map(({ stmt, stmt_location }) => ({ tree: stmt, at: stmt_location })),
  };
};

const askForTokens: Ask<readonly Token[]> = (grammar, pointer) => {
  const result = grammar._wasm_scan(pointer);
  const answer = grammar.UTF8ToString(result);
  grammar._wasm_free_string(result);
  if (!answer.startsWith("{")) return [];
  return scanResult
    .parse(JSON.parse(answer))
    .tokens.filter(({ text }) => !text.startsWith("--") && !text.startsWith("/*"));
};

/** Parses statements; a syntax error is a value. */
export async function parseSql(text: string): Promise<Parsed> {
  if (text.includes("\0"))
    return { ok: false, message: "the text holds a NUL character", offset: [...text].indexOf("\0") };
  if (text.length > LONGEST) return { ok: false, message: "the text is longer than 1 MiB", offset: 0 };
  return (await ask(text, askForTree)) ?? { ok: false, message: "the text is nested too deeply", offset: 0 };
}

/** The tokens of a text, without white space and comments; none where the text cannot be cut into tokens: the parser then says why. */
export const scanSql = async (text: string): Promise<readonly Token[]> =>
  text.length > LONGEST || text.includes("\0") ? [] : ((await ask(text, askForTokens)) ?? []);
