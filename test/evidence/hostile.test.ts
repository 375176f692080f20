// Hostile text in every field of a run: no output of ours lets it act (safety U2, U4; github R30, R31).
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalContract } from "../../src/domain/contract.ts";
import type { RunRecord } from "../../src/domain/manifest.ts";
import type { Refusal } from "../../src/domain/outcome.ts";
import { checkOutput } from "../../src/evidence/check-output.ts";
import { evidenceComment, markerOf } from "../../src/evidence/comment.ts";
import { conversationPage } from "../../src/evidence/conversation-page.ts";
import { publishedReply, refusedReply, statusReply } from "../../src/evidence/replies.ts";
import { reportHtml } from "../../src/evidence/report.ts";
import { auditLines, planLines, showLines, stateLines } from "../../src/evidence/terminal.ts";
import { contract, failed, lineOf, passed, published, rolledBack, stopped, viewOf } from "./examples.ts";
import { activeParts, hostile } from "./hostile-text.ts";

/** What a contract takes for a sentence: it refuses what cannot be seen. */
const sentenceOf = (text: string): string => text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "").trim() || "x";

/** The run with every text that comes from outside replaced. */
function poisoned(run: RunRecord, text: string): RunRecord {
  const map = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.values(record).map((value) => [text, value]));
  const waiver = {
    ...contract.clauses,
    known_quirks: { not_applicable: { reason: sentenceOf(text), approved_by: "@lena" } },
  };
  return {
    ...run,
    contract: canonicalContract({ ...contract, clauses: waiver }),
    contractPath: text,
    sourceRef: text,
    stageName: text,
    builtBy: text,
    rollbackName: run.rollbackName === null ? null : text,
    excluded: map(run.excluded),
    provenance:
      run.provenance.kind === "github"
        ? { ...run.provenance, repository: text, headSha: text, initiator: { id: text, login: text } }
        : run.provenance,
    preflight: {
      ...run.preflight,
      database: { ...run.preflight.database, name: text, address: text, version: text, login: text },
      target: { ...run.preflight.target, name: text, kind: text, owner: text, dependents: [text, text] },
    },
    plan: {
      ...run.plan,
      reason: text,
      steps: [text, text],
      locks: [text],
      rollbackName: text,
      consumerRole: text,
      retention: { ...run.plan.retention },
    },
    landing:
      run.landing === null
        ? null
        : {
            ...run.landing,
            rawName: text,
            header: [text],
            parser: { [text]: text },
            rejectReasons: { [text]: "1" },
          },
    readings: run.readings.map((one) => ({
      ...one,
      expectation: text,
      observed: {
        ...one.observed,
        finding: text,
        error: text,
        measured: { ...one.observed.measured, [text]: text },
        sample: [{ [text]: text }],
      },
    })),
    changes: run.changes === null ? null : { ...run.changes, key: [text], columns: { [text]: "3" } },
    approvals: run.approvals.map((one) => ({
      ...one,
      by: text,
      ref: text,
      login: text,
      bound: { [text]: text },
      facts: { authority: text, body_sha256: text, evidence_digest: text },
    })),
    publications: run.publications.map((one) => ({
      ...one,
      backing: text,
      previousBacking: text,
      login: text,
    })),
    verification: run.verification.map((one) => ({ ...one, name: text, observed: text })),
    transitions: run.transitions.map((one) => ({ ...one, login: text, detail: text })),
  };
}

const MARKER = markerOf("acme/nfl", 412);

/** Our own lines that act as they should. */
const OURS = [
  /^> \[!(?:TIP|CAUTION|WARNING)\]$/,
  /^(?:> )?```$/,
  /^(?:> )?\/(?:publish|rollback) [0-9a-f-]{36}$/,
  /^\| (?:-{3}:? \| ?)+$/,
  /^-{3}/,
  /^$/,
];

/** Lines of Markdown with what acts in them, cell by cell; our own frames taken away. */
function actingLines(markdown: string): readonly string[] {
  const acting: string[] = [];
  for (const line of markdown.replace(MARKER, "").split("\n")) {
    if (OURS.some((one) => one.test(line))) continue;
    const bare = line
      .replace(/^### |^> |^- |^\d{1,2}\. /, "")
      .replace(/^<details(?: open)?><summary>|<\/summary>$|^<\/details>$|^<sub>|<\/sub>$/g, "")
      .replace(/\[(line \d+|here|report|evidence\.json|job|`[0-9a-f]{7}`)\]\(https?:\/\/[^\s()<>"]+\)/g, "$1")
      .replace(/\*\*(?:Changed columns:|Notes:|Left out here|\d+ unexplained)\*\*/g, "");
    const cells = bare.startsWith("| ") && bare.endsWith(" |") ? bare.slice(2, -2).split(" | ") : [bare];
    for (const cell of cells) {
      const active = activeParts(cell.replace(/^_(?:null|empty)_$/, ""));
      if (active.length > 0) acting.push(`${active.join(" ")} in ${line}`);
    }
  }
  return acting;
}

const runs: readonly (readonly [string, RunRecord])[] = [
  ["passed", passed],
  ["failed", failed],
  ["stopped", stopped],
  ["published", published],
  ["rolled back", rolledBack],
];

const refusalOf = (text: string): Refusal => ({ code: "contract_changed", message: text, next: text });

test.each(runs)("no comment, check or reply about a run that is %s lets a text act", (_, run) => {
  fc.assert(
    fc.property(hostile, fc.boolean(), (text, isBlocked) => {
      const bad = poisoned(run, text);
      const conditions = [{ name: text, verdict: "no" as const, sentence: text }];
      const view = viewOf(bad, {
        whoMay: [text],
        author: text,
        blocked: isBlocked ? refusalOf(text) : null,
        checked: { at: "2026-11-26T07:02:00Z", conditions },
        links: { report: text, evidence: text, workflowRun: text },
        history: [bad, poisoned(failed, text)],
      });
      const refused = { contractId: text, path: text, refusal: refusalOf(text) };
      for (const markdown of [
        evidenceComment([view], [], MARKER),
        evidenceComment([view, view], [refused], MARKER),
        checkOutput(bad, lineOf).summary,
        refusedReply(refusalOf(text), conditions, [text]),
        statusReply([bad], conditions),
        publishedReply(bad),
      ])
        expect(actingLines(markdown)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test("the oracle sees what acts in a comment", () => {
  for (const text of ["@lena", "see #12", "<b>", "x | @y", "[a](http://b)"]) {
    const comment = evidenceComment([viewOf(passed)], [], MARKER);
    expect(actingLines(comment)).toEqual([]);
    expect([text, actingLines(`${comment}\n\n${text}`).length]).toEqual([text, 1]);
    expect(actingLines(comment.replace("the number of rows is 48187", text))).not.toEqual([]);
  }
});

/** Elements that our pages write; a text that wrote one of its own would bring another, an attribute, or a handler. */
const ELEMENTS = new Set(
  "html head meta title style body main h1 h2 h3 p div span ul ol li b strong em a nav section article header details summary table thead tbody tr th td code pre figure svg text rect fieldset legend label input blockquote sub br hr".split(
    " ",
  ),
);

test.each(runs)("no HTML page about a run that is %s holds an element of a text's own", (_, run) => {
  const elementsOf = (page: string): number => page.match(/<[a-z!/]/gi)?.length ?? 0;
  const harmless = elementsOf(reportHtml(poisoned(run, "x")));
  fc.assert(
    fc.property(hostile, (text) => {
      const page = reportHtml(poisoned(run, text));
      // A value that looks like a link, a number or nothing is shown as such: a few elements of ours more or less.
      expect(Math.abs(elementsOf(page) - harmless)).toBeLessThanOrEqual(400);
      const conversation = conversationPage([
        {
          title: text,
          repository: text,
          number: 1,
          branch: text,
          author: text,
          events: [
            { kind: "comment", author: text, text: `${text}\n\n${text}`, at: text, reactions: [text] },
            { kind: "event", author: text, text, at: text, reactions: [] },
          ],
        },
      ]);
      for (const html of [page, conversation]) {
        for (const [, tag = "", attributes = ""] of html.matchAll(/<\/?([a-zA-Z][^\s>/]*)([^>]*)>/g)) {
          expect(ELEMENTS.has(tag)).toBe(true);
          expect(attributes.replace(/="[^"<>]*"/g, "=")).not.toMatch(
            /\bon\w+\s*=|javascript:|\bstyle=|\bsrc=/i,
          );
        }
        for (const [, address = ""] of html.matchAll(/href="([^"]*)"/g))
          expect(address).toMatch(/^(?:#|https?:\/\/)/);
        expect(html).not.toMatch(/<!--/);
      }
    }),
    { numRuns: 100 },
  );
});

test.each(runs)(
  "no terminal line about a run that is %s moves the cursor, commands a runner, or is two lines",
  (_, run) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const bad = poisoned(run, text);
        const style = (_kind: string, styled: string): string => styled;
        const lines = [
          ...auditLines(bad, { style, plain: false, lineOf: () => 1 }),
          ...stateLines(bad, style),
          ...showLines(bad, style),
          ...planLines("nfl.plays", bad.preflight, bad.plan),
        ];
        for (const line of lines) {
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
          expect(line.trimStart().startsWith("::")).toBe(false);
          expect(line).not.toContain("##[");
        }
      }),
      { numRuns: 150 },
    );
  },
);
