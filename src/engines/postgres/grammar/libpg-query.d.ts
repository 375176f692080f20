// What TypeScript has to be told of libpg-query's module and of WebAssembly, which Node's types only name.
declare module "libpg-query/wasm/libpg-query.js" {
  const createModule: (options: {
    readonly instantiateWasm: (imports: object, ready: (instance: object, module: object) => void) => object;
  }) => Promise<{
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
  }>;
  export default createModule;
}

declare const WebAssembly: {
  readonly compile: (bytes: Uint8Array) => Promise<object>;
  readonly instantiate: (module: object, imports: object) => Promise<object>;
};
