// Makes everything that is generated once more and fails where what is committed differs; also names files in dist/ that are no bundle's.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildInto, ROOT } from "./build.mjs";
import { generatedFiles } from "./generate.mjs";

const differing = [];
const same = (path, text) => {
  try {
    return readFileSync(path, "utf8") === text;
  } catch {
    return false;
  }
};

for (const [path, text] of Object.entries(await generatedFiles()))
  if (!same(join(ROOT, path), text)) differing.push(path);

const fresh = mkdtempSync(join(tmpdir(), "wap-dist-"));
try {
  await buildInto(fresh);
  const built = readdirSync(fresh);
  for (const file of built)
    if (!same(join(ROOT, "dist", file), readFileSync(join(fresh, file), "utf8")))
      differing.push(`dist/${file}`);
  for (const file of existsSync(join(ROOT, "dist")) ? readdirSync(join(ROOT, "dist")) : [])
    if (!built.includes(file)) differing.push(`dist/${file} (not made by the build)`);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

if (differing.length > 0) {
  process.stderr.write(
    `These generated files are not what their sources make; run \`npm run generate\` and commit:\n${differing.map((path) => `  ${path}\n`).join("")}`,
  );
  process.exitCode = 1;
} else process.stdout.write("generated files are as their sources make them\n");
