// Bundles the Action and the CLI into dist/: one file each, no node_modules needed, the same bytes from any folder.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The grammar's WebAssembly module travels inside the bundle, as gzip and base64. */
const embeddedGrammar = {
  name: "embedded-grammar",
  setup(context) {
    context.onLoad({ filter: /[\\/]grammar[\\/]wasm-binary\.ts$/ }, () => {
      const wasm = readFileSync(
        createRequire(join(ROOT, "package.json")).resolve("libpg-query/wasm/libpg-query.wasm"),
      );
      const packed = gzipSync(wasm, { level: 9 });
      // The header's operating system byte is the machine's: not part of what was built.
      packed[9] = 255;
      return {
        loader: "js",
        contents: `import { gunzipSync } from "node:zlib";\nconst packed = ${JSON.stringify(packed.toString("base64"))};\nexport const wasmBinary = () => gunzipSync(Buffer.from(packed, "base64"));\n`,
      };
    });
  },
};

// CommonJS packages in the bundle call require and look for __dirname.
const banner = `import { createRequire as __wapRequire } from "node:module";
import { dirname as __wapDirname } from "node:path";
import { fileURLToPath as __wapPath } from "node:url";
const require = __wapRequire(import.meta.url), __filename = __wapPath(import.meta.url), __dirname = __wapDirname(__filename);`;

const BUNDLES = [
  { entry: "src/action/main.ts", file: "index.js", target: "node24", first: "" },
  { entry: "src/cli/main.ts", file: "cli.js", target: "node20", first: "#!/usr/bin/env node\n" },
];

/** Builds into a folder; what stood there goes only when everything is built. */
export async function buildInto(directory) {
  const built = [];
  for (const { entry, file, target, first } of BUNDLES) {
    const result = await build({
      absWorkingDir: ROOT,
      entryPoints: [entry],
      bundle: true,
      platform: "node",
      format: "esm",
      target,
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: "none",
      charset: "utf8",
      preserveSymlinks: true,
      plugins: [embeddedGrammar],
      banner: { js: banner },
      write: false,
      logLevel: "error",
    });
    built.push({ file, text: first + result.outputFiles[0].text });
  }
  // The bundles are ES modules wherever they are copied to.
  built.push({ file: "package.json", text: '{ "type": "module" }\n' });
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const { file, text } of built) writeFileSync(join(directory, file), text);
  chmodSync(join(directory, "cli.js"), 0o755);
}

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? "")).href)
  await buildInto(join(ROOT, "dist"));
