// The report's sections on data: where records went, what changes for readers, what was delivered.
import type { RunRecord } from "../../domain/manifest.ts";
import { grouped, readableBytes, share } from "../../domain/numbers.ts";
import { ledgerTerms } from "../facts.ts";
import { type Cell, htmlFacts, htmlTable, htmlText } from "../html-page.ts";
import { barPlot } from "./bar-plot.ts";

const BARS_SHOWN = 24;
const TERMS_SHOWN = 60;
const EQUATIONS_SHOWN = 20;
const COLUMNS_SHOWN = 300;

/** Bars of the terms, and the equations of the conservation clause with every term. */
export function ledgerSection(run: RunRecord): string {
  const terms = ledgerTerms(run);
  const delivered = run.landing?.parsed;
  if (delivered === undefined) return "";
  const sentence = `Where ${grouped(delivered)} records went: ${terms.map(({ name, count }) => `${grouped(count)} ${name}`).join(", ")}.`;
  const bars = terms.slice(0, BARS_SHOWN).map(({ name, count, kind }) => ({ label: name, count, kind }));
  const rows = terms
    .slice(0, TERMS_SHOWN)
    .map(({ name, count }): Cell[] => [
      name,
      { number: grouped(count) },
      { number: share(count, delivered) },
    ]);
  const equations = run.readings
    .filter(({ observed }) => observed.check === "equation")
    .toSorted((a, b) => Number(a.passed) - Number(b.passed))
    .slice(0, EQUATIONS_SHOWN)
    .map(
      ({ name, passed, observed }) =>
        `<li>${passed ? "✅" : "❌"} <code>${htmlText(name)}</code> ${htmlText(observed.finding)}</li>`,
    );
  return `${barPlot(bars, sentence)}${htmlTable(["term", { number: "records" }, { number: "of all parsed" }], rows)}${equations.length === 0 ? "" : `<ul>${equations.join("")}</ul>`}`;
}

/** By key, against what readers saw at preflight; only columns that differ. */
export function changesSection(run: RunRecord): string {
  const { changes } = run;
  if (changes === null)
    return run.plan.firstVersion
      ? "<p>First version: there is nothing to compare with.</p>"
      : "<p>Not compared: the rows could not be paired by the contract's key, or the run ended before.</p>";
  const { added, removed, changed, unchanged } = changes;
  const bars = [
    { label: "keys removed", count: removed, kind: "lost" },
    { label: "keys changed", count: changed, kind: "lost" },
    { label: "keys added", count: added, kind: "delivered" },
    { label: "keys unchanged", count: unchanged, kind: "staged" },
  ] as const;
  const sentence = `${grouped(added)} keys added, ${grouped(removed)} removed, ${grouped(changed)} changed, ${grouped(unchanged)} unchanged.`;
  const both = (BigInt(changed) + BigInt(unchanged)).toString();
  const columns = Object.entries(changes.columns)
    .slice(0, COLUMNS_SHOWN)
    .map(([column, count]): Cell[] => [
      { html: `<code>${htmlText(column)}</code>` },
      { number: grouped(count) },
      { number: `${share(count, both)} of ${grouped(both)}` },
    ]);
  const table =
    columns.length === 0
      ? "<p>No value of a key on both sides differs.</p>"
      : htmlTable(["column", { number: "changed values" }, { number: "of keys on both sides" }], columns);
  return `<p>By key (${htmlText(changes.key.join(", "))}), against what readers saw at preflight. ${htmlText(sentence)}</p>${barPlot(bars, sentence)}${table}`;
}

export function sourceSection(run: RunRecord): string {
  const { landing } = run;
  const facts: (readonly [string, Cell])[] = [
    ["file", run.sourceRef],
    ["sha256", run.sourceFingerprint],
  ];
  if (landing === null)
    return `${htmlFacts([...facts, ["size", `${grouped(run.preflight.source.bytes)} bytes`]])}<p>It was not landed.</p>`;
  const rejects = Object.entries(landing.rejectReasons).map(
    ([reason, count]) => `${reason}: ${grouped(count)}`,
  );
  const parser = Object.entries(landing.parser).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return htmlFacts([
    ...facts,
    ["delivered", `${grouped(landing.bytes)} bytes (${readableBytes(Number(landing.bytes))})`],
    ["unpacked", `${grouped(landing.plainBytes)} bytes`],
    [
      "records",
      `${grouped(landing.parsed)} parsed, ${grouped(landing.landed)} landed, ${grouped(landing.rejected)} rejected`,
    ],
    ["rejects", rejects.length === 0 ? "none" : rejects.join(", ")],
    ["raw snapshot", landing.rawName],
    ["header", landing.header.join(", ")],
    ["parser", parser.join(", ")],
  ]);
}
