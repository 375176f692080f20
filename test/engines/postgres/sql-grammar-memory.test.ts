// The grammar's memory: on Node 24 the background compiler would take 600 MB for the parser's one huge function.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");

test("a program that checks SQL, and then waits, stays below 250 MB", async () => {
  const directory = mkdtempSync(join(tmpdir(), "wap-grammar-"));
  try {
    const outfile = join(directory, "program.mjs");
    await build({
      stdin: {
        contents: `import { checkSelect } from "./src/engines/postgres/sql-grammar.ts";
          for (let n = 0; n < 200; n += 1) await checkSelect("SELECT a, count(*) FROM {{source}} WHERE b > " + n + " GROUP BY a", { inputs: [], placeholders: ["source"] });
          setTimeout(() => console.log(process.resourceUsage().maxRSS), 2000);`,
        resolveDir: ROOT,
      },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile,
      logLevel: "error",
      banner: {
        js: `import { createRequire } from "node:module"; const require = createRequire(${JSON.stringify(join(ROOT, "package.json"))}); const __dirname = "";`,
      },
      plugins: [
        {
          name: "grammar-from-the-package",
          setup: (context) => {
            context.onLoad({ filter: /wasm-binary\.ts$/ }, () => ({
              contents: `import { readFileSync } from "node:fs"; export const wasmBinary = () => readFileSync(require.resolve("libpg-query/wasm/libpg-query.wasm"));`,
            }));
          },
        },
      ],
    });
    const kilobytes = Number(execFileSync(process.execPath, [outfile], { encoding: "utf8" }));
    expect(kilobytes).toBeGreaterThan(0);
    expect(kilobytes / 1024).toBeLessThan(250);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
