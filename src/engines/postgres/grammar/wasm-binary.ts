// Bytes of the grammar's WebAssembly module. In the bundles the build replaces this file by one that holds them (scripts/build.mjs).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export const wasmBinary = (): Uint8Array =>
  readFileSync(createRequire(import.meta.url).resolve("libpg-query/wasm/libpg-query.wasm"));
