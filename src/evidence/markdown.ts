// Markdown made of parts that cannot be broken by what stands in them.
import { inMarkdown } from "./escape.ts";

/** A table; cells are Markdown already. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(" | ")} |`,
    `| ${head.map(() => "---").join(" | ")} |`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");

export const details = (summary: string, body: string, open = false): string =>
  `<details${open ? " open" : ""}><summary>${summary}</summary>\n\n${body}\n\n</details>`;

/** One of GitHub's alerts, with a command in a fence of its own. */
export const alert = (
  kind: "TIP" | "CAUTION" | "WARNING" | "NOTE",
  sentences: readonly string[],
  command: string | null = null,
  after: readonly string[] = [],
): string =>
  [`[!${kind}]`, ...sentences, ...(command === null ? [] : ["```", command, "```"]), ...after]
    .map((line) => `> ${line}`)
    .join("\n");

export const fence = (command: string): string => `\`\`\`\n${command}\n\`\`\``;

export const plain = inMarkdown;
