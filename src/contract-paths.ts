// Which contracts a command line or an input means: paths and globs, relative to the repository's root.
import { glob } from "tinyglobby";
import { WapError } from "./domain/errors.ts";

export const DEFAULT_CONTRACTS = "contracts/**/*.{yml,yaml}";

/**
 * Paths with forward slashes, sorted, each once. Symbolic links are not followed.
 * @throws WapError usage when a pattern finds nothing: a typing error must not pass as "no contracts".
 */
export async function contractPaths(root: string, patterns: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const paths = await glob([pattern], {
      cwd: root,
      onlyFiles: true,
      followSymbolicLinks: false,
      dot: false,
    });
    if (paths.length === 0) throw new WapError("usage", `no contract at ${pattern}`);
    for (const path of paths) found.add(path.replaceAll("\\", "/"));
  }
  return [...found].sort();
}
