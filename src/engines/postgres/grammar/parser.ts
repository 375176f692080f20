// PostgreSQL's own grammar (libpg-query, PostgreSQL 18), loaded when first needed. A thin wrapper of our own: the package's entry begins
// to load at import and looks for its file beside itself.
import { setFlagsFromString } from "node:v8";
import createModule from "libpg-query/wasm/libpg-query.js";
import { z } from "zod";
import { wasmBinary } from "./wasm-binary.ts";

export type SqlTree = null | boolean | number | string | SqlTree[] | { [key: string]: SqlTree };

export type Parsed =
  | { readonly ok: true; readonly statements: readonly SqlTree[] }
  /** `offset` counts characters from 0. */
  | { readonly ok: false; readonly message: string; readonly offset: number };

export interface Token {
  /** Offsets in UTF-8 bytes. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface GrammarModule {
  readonly lengthBytesUTF8: (text: string) => number;
  readonly stringToUTF8: (text: string, pointer: number, length: number) => void;
  readonly UTF8ToString: (pointer: number) => string;
  readonly getValue: (pointer: number, type: "i32") => number;
  readonly _malloc: (length: number) => number;
  readonly _free: (pointer: number) => void;
  readonly _wasm_parse_query_raw: (pointer: number) => number;
  readonly _wasm_free_parse_result: (pointer: number) => void;
  readonly _wasm_scan: (pointer: number) => number;
  readonly _wasm_free_string: (pointer: number) => void;
}

const treeSchema: z.ZodType<SqlTree> = z.json();
const parseResult = z.object({ stmts: z.array(z.object({ stmt: treeSchema })).optional() });
const scanResult = z.object({
  tokens: z.array(z.object({ start: z.number().default(0), end: z.number().default(0), text: z.string() })),
});

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

/** Lends a text to the module as a C string. */
function withText<T>(grammar: GrammarModule, text: string, use: (pointer: number) => T): T {
  const length = grammar.lengthBytesUTF8(text) + 1;
  const pointer = grammar._malloc(length);
  try {
    grammar.stringToUTF8(text, pointer, length);
    return use(pointer);
  } finally {
    grammar._free(pointer);
  }
}

/** Parses statements; a syntax error is a value. */
export async function parseSql(text: string): Promise<Parsed> {
  if (text.includes("\0")) return { ok: false, message: "the text holds a NUL character", offset: text.indexOf("\0") };
  const grammar = await load();
  return withText(grammar, text, (pointer) => {
    const result = grammar._wasm_parse_query_raw(pointer);
    try {
      // struct PgQueryParseResult { char *parse_tree; char *stderr_buffer; PgQueryError *error; }
      const error = grammar.getValue(result + 8, "i32");
      if (error !== 0) {
        const cursor = grammar.getValue(error + 16, "i32");
        return { ok: false, message: grammar.UTF8ToString(grammar.getValue(error, "i32")), offset: Math.max(0, cursor - 1) };
      }
      const tree = parseResult.parse(JSON.parse(grammar.UTF8ToString(grammar.getValue(result, "i32"))));
      return { ok: true, statements: (tree.stmts ?? []).map((one) => one.stmt) };
    } finally {
      grammar._wasm_free_parse_result(result);
    }
  });
}

/** The tokens of a text, without white space and comments; null where the text cannot be cut into tokens. */
export async function scanSql(text: string): Promise<readonly Token[] | null> {
  const grammar = await load();
  return withText(grammar, text, (pointer) => {
    const result = grammar._wasm_scan(pointer);
    try {
      const answer = grammar.UTF8ToString(result);
      if (!answer.startsWith("{")) return null;
      return scanResult.parse(JSON.parse(answer)).tokens.filter(({ text }) => !text.startsWith("--") && !text.startsWith("/*"));
    } finally {
      grammar._wasm_free_string(result);
    }
  });
}
