// The report's sections on publishing: the plan that is approved, who approved it, what happened when, and every fingerprint.
import type { RunRecord } from "../../domain/manifest.ts";
import { readableMoment, readableMs } from "../../domain/numbers.ts";
import { waitedAtMost } from "../facts.ts";
import { type Cell, htmlFacts, htmlLink, htmlTable, htmlText } from "../html-page.ts";

const code = (text: string): Cell => ({ html: `<code>${htmlText(text)}</code>` });
const list = (texts: readonly string[], tag: "ol" | "ul"): string =>
  `<${tag}>${texts.map((text) => `<li>${htmlText(text)}</li>`).join("")}</${tag}>`;

export function planSection({ plan, preflight }: RunRecord): string {
  const { dependents } = preflight.target;
  return `<p>${htmlText(plan.reason)}</p>${list(plan.steps, "ol")}${htmlFacts([
    ["strategy", plan.strategy],
    ["locks", { html: list(plan.locks, "ul") }],
    ["limits", `lock ${readableMs(plan.lockTimeoutMs)}, statement ${readableMs(plan.statementTimeoutMs)}`],
    [
      "goes back to",
      plan.rollbackName === null ? "nothing: this is the first version" : code(plan.rollbackName),
    ],
    [
      "retention",
      `at least ${plan.retention.versions} versions and ${plan.retention.age}, observed for ${plan.retention.observeFor}`,
    ],
    ["consumer role", code(plan.consumerRole)],
    ["dependents", dependents.length === 0 ? "none" : { html: list(dependents.slice(0, 50), "ul") }],
  ])}`;
}

const authorityOf = (facts: Readonly<Record<string, unknown>>): string =>
  typeof facts["authority"] === "string" ? facts["authority"] : "–";

export function historySection(run: RunRecord): string {
  const approvals = run.approvals.map(({ kind, by, ref, at, login, facts }): Cell[] => [
    kind,
    code(by),
    { html: htmlLink(ref, ref) },
    readableMoment(at),
    authorityOf(facts),
    code(login),
  ]);
  const publications = run.publications.map((one): Cell[] => [
    one.kind,
    readableMoment(one.at),
    code(one.backing),
    one.previousBacking === null ? "nothing" : code(one.previousBacking),
    { number: waitedAtMost(one) },
    { number: `${one.tries}` },
  ]);
  const verified = run.verification.map(({ name, passed, observed }): Cell[] => [
    passed ? "✅ ok" : "❌ NOT OK",
    name,
    observed,
  ]);
  const steps = run.transitions.map(({ at, from, to, login, reason, detail }): Cell[] => [
    readableMoment(at),
    `${from ?? "start"} → ${to}`,
    code(login),
    [reason, detail].filter((text) => text !== null).join(": "),
  ]);
  return [
    run.approvals.length === 0
      ? "<p>Not approved.</p>"
      : htmlTable(["approval", "by", "where", "when", "authority", "recorded by"], approvals),
    htmlTable(
      [
        "promotion",
        "when",
        "readers see",
        "before",
        { number: "readers waited at most" },
        { number: "tries" },
      ],
      publications,
    ),
    htmlTable(["", "verified after it", "observed"], verified),
    htmlTable(["when", "step", "recorded by", "reason"], steps),
  ].join("");
}

/** Every hash that an approval binds, beside what the approver was shown. */
export function fingerprintsSection(run: RunRecord, digest: string): string {
  const values: readonly (readonly [string, string | null])[] = [
    ["contract", run.contractHash],
    ["transform", run.transformHash],
    ["source", run.sourceFingerprint],
    ["target at preflight", run.preflightFingerprint],
    ["control schema", run.controlFingerprint],
    ["stage: schema", run.stageSchemaFingerprint],
    ["stage: rows", run.stageRowCount],
    ["stage: content", run.stageFingerprint],
    ["evidence that is decided on", digest],
  ];
  const shown = run.approvals.flatMap(({ kind, facts }) =>
    typeof facts["evidence_digest"] === "string"
      ? [[`evidence shown for the ${kind}`, facts["evidence_digest"]] as const]
      : [],
  );
  return htmlFacts(
    [...values, ...shown].map(([name, value]) => [name, value === null ? "–" : code(value)] as const),
  );
}
