// Loads a TypeScript module of src into this process, through the bundler; packages stay where they are.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "./build.mjs";

export async function loadTypeScript(entry) {
  const directory = join(ROOT, "node_modules", ".cache", "wap");
  mkdirSync(directory, { recursive: true });
  const outfile = join(directory, `${entry.replace(/\W+/g, "-")}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(ROOT, entry)],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    outfile,
    logLevel: "error",
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}
