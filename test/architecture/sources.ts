// The sources as the architecture tests see them: paths, texts and imports.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { globSync } from "tinyglobby";

export const ROOT = join(import.meta.dirname, "../..");

export interface SourceFile {
  /** Relative to the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Relative imports as paths like `path`; packages as they are named. */
  readonly imports: readonly string[];
}

const IMPORT = /(?:\bfrom\s+|\bimport\s+|\bimport\()"([^"]+)"/g;

export function sourceFile(path: string, text: string): SourceFile {
  const imports = [...text.matchAll(IMPORT)].map((match) => match[1] ?? "");
  return {
    path,
    text,
    imports: imports.map((name) =>
      name.startsWith(".") ? join(dirname(path), name).replaceAll("\\", "/") : name,
    ),
  };
}

export const filesLike = (pattern: string): SourceFile[] =>
  globSync(pattern, { cwd: ROOT })
    .toSorted()
    .map((path) => sourceFile(path, readFileSync(join(ROOT, path), "utf8")));

/** Hand-written TypeScript below src. */
export const sources = (): SourceFile[] =>
  filesLike("src/**/*.ts").filter(({ path }) => !path.startsWith("src/generated/"));
