// Which promotion strategy is safe for a target, and why; or why none is (specification 1, "choose a promotion strategy").
import type { Contract, TargetColumn } from "./contract.ts";
import { durationMs } from "./duration.ts";
import { displayName, type QualifiedName } from "./identifier.ts";
import type { PublicationPlan } from "./manifest.ts";
import { done, type Outcome, refuse } from "./outcome.ts";

/** What preflight found out about a target, as far as the choice needs it. */
export interface TargetFacts {
  readonly target: QualifiedName;
  readonly schemaExists: boolean;
  /** True where wap_target may create relations in the target's schema. */
  readonly schemaOpen: boolean;
  readonly consumerRoleExists: boolean;
  /** True where wap_publisher may act as the consumer role, which verification needs. */
  readonly consumerRoleReachable: boolean;
  readonly consumerMayUseSchema: boolean;
  /** Enabled event triggers: each may veto or change what a promotion does. */
  readonly eventTriggers: readonly string[];
  /** Null where the target does not exist. */
  readonly existing: ExistingTarget | null;
}

export interface ExistingTarget {
  readonly kind: string;
  readonly owner: string;
  /** True where wap_owner may act as the target's owner. */
  readonly ownerReachable: boolean;
  /** Name of the relation that the view shows, where it is exactly a view that wap made over its last version. */
  readonly currentVersion: string | null;
  readonly columns: readonly LiveColumn[];
  /** `name=value` storage options of the view. */
  readonly options: readonly string[];
  readonly rules: readonly string[];
  readonly triggers: readonly string[];
  /** Roles that may write through the view. */
  readonly writers: readonly string[];
  readonly dependents: readonly string[];
}

export interface LiveColumn {
  readonly name: string;
  readonly type: string;
  readonly collation: string | null;
}

/**
 * The stable view is the one strategy that is built: a new target, or a view that wap made. Everything else is refused with its
 * reason. Pure.
 */
export function choosePromotion(facts: TargetFacts, contract: Contract): Outcome<PublicationPlan> {
  const target = displayName(facts.target);
  const refused = whyNot(facts, contract, target);
  if (refused !== null) return refused;
  return done(
    facts.existing === null
      ? firstVersionPlan(facts, contract, target)
      : nextVersionPlan(facts.existing, contract, target),
  );
}

function whyNot(
  facts: TargetFacts,
  contract: Contract,
  target: string,
): { ok: false; refusal: import("./outcome.ts").Refusal } | null {
  const { schema } = facts.target;
  const consumer = contract.database.consumer_role;
  const role = (name: string): string => JSON.stringify(name);
  if (contract.promotion.strategy !== "auto" && contract.promotion.strategy !== "view") {
    return refuse(
      "unsafe_strategy",
      `strategy ${contract.promotion.strategy} is not built: this version promotes by a stable view`,
    );
  }
  if (!facts.schemaExists)
    return refuse(
      "unsafe_strategy",
      `the schema ${role(schema)} of target ${target} does not exist`,
      `CREATE SCHEMA ${role(schema)};`,
    );
  if (!facts.consumerRoleExists) {
    return refuse(
      "membership_missing",
      `the consumer role ${consumer} does not exist`,
      "Name an existing role in database.consumer_role.",
    );
  }
  if (!facts.consumerRoleReachable) {
    return refuse(
      "membership_missing",
      `wap_publisher cannot read as the consumer role ${consumer}, which verification needs`,
      `GRANT ${role(consumer)} TO wap_publisher;`,
    );
  }
  if (!facts.consumerMayUseSchema) {
    return refuse(
      "membership_missing",
      `the consumer role ${consumer} may not use the schema ${schema}`,
      `GRANT USAGE ON SCHEMA ${role(schema)} TO ${role(consumer)};`,
    );
  }
  if (!facts.schemaOpen) {
    return refuse(
      "membership_missing",
      `wap_target may not create relations in the schema ${schema}`,
      `GRANT USAGE, CREATE ON SCHEMA ${role(schema)} TO wap_target;`,
    );
  }
  if (facts.eventTriggers.length > 0) {
    return refuse(
      "unsafe_strategy",
      `event triggers may veto or change a promotion: ${facts.eventTriggers.join(", ")}`,
    );
  }
  return facts.existing === null ? null : whyNotExisting(facts.existing, contract.target_schema, target);
}

function whyNotExisting(
  existing: ExistingTarget,
  declared: readonly TargetColumn[],
  target: string,
): ReturnType<typeof whyNot> {
  if (existing.kind !== "view") {
    return refuse(
      "unsafe_strategy",
      `${target} is a ${existing.kind}: turning it into a stable view is a migration that needs its own approval`,
    );
  }
  if (existing.currentVersion === null) {
    return refuse(
      "unsafe_strategy",
      `${target} is a view that wap did not make, or that was changed since: replacing it could drop a filter without a word`,
    );
  }
  if (!existing.ownerReachable) {
    return refuse(
      "membership_missing",
      `wap_owner is not a member of ${existing.owner}, the owner of ${target}`,
      `GRANT ${JSON.stringify(existing.owner)} TO wap_owner;`,
    );
  }
  const invoker = existing.options.find((option) => /^security_invoker=(true|on|1|yes)$/i.test(option));
  if (invoker !== undefined) {
    return refuse(
      "unsafe_strategy",
      `${target} is a security_invoker view: its readers would need grants on each new version`,
    );
  }
  if (existing.rules.length > 0)
    return refuse("unsafe_strategy", `${target} has rules: ${existing.rules.join(", ")}`);
  if (existing.triggers.length > 0)
    return refuse("unsafe_strategy", `${target} has triggers: ${existing.triggers.join(", ")}`);
  if (existing.writers.length > 0) {
    return refuse(
      "unsafe_strategy",
      `${existing.writers.join(", ")} may write through ${target} into an immutable version`,
    );
  }
  const materialized = existing.dependents.filter((dependent) => dependent.startsWith("materialized view "));
  if (materialized.length > 0) {
    return refuse(
      "unsafe_strategy",
      `${materialized.join(", ")} would keep the old content until it is refreshed`,
    );
  }
  const difference = columnDifference(existing.columns, declared);
  return difference === null
    ? null
    : refuse("unsafe_strategy", `the columns of ${target} differ from the contract's: ${difference}`);
}

/** The first difference between what readers see and what the contract declares; null where names, types, collations and order agree. */
export function columnDifference(
  live: readonly LiveColumn[],
  declared: readonly TargetColumn[],
): string | null {
  for (let position = 0; position < Math.max(live.length, declared.length); position += 1) {
    const now = live[position];
    const then = declared[position];
    if (now === undefined) return `column ${then?.name} is new; a view cannot lose it again on a rollback`;
    if (then === undefined) return `column ${now.name} is gone from the contract`;
    if (now.name !== then.name)
      return `column ${position + 1} is ${now.name} now and ${then.name} in the contract`;
    if (now.type !== then.type)
      return `column ${now.name} is ${now.type} now and ${then.type} in the contract`;
    if (then.collation !== undefined && now.collation !== then.collation) {
      return `column ${now.name} sorts by ${now.collation ?? "no collation"} now and by ${then.collation} in the contract`;
    }
  }
  return null;
}

const GUARDED = [
  "SHARE lock on the stage; its identity, schema, row count and content are recomputed and compared",
  "source, contract and transform hashes are compared with the approval",
];

function firstVersionPlan(facts: TargetFacts, contract: Contract, target: string): PublicationPlan {
  return {
    ...common(contract),
    reason: `${target} does not exist yet: a view over the sealed stage becomes its first version, and later versions replace what it shows without changing its identity, owner or grants.`,
    firstVersion: true,
    steps: [
      ...GUARDED,
      `${target} still does not exist`,
      "assert_gate(run, true)",
      `CREATE VIEW ${target}, owner wap_target, SELECT for ${contract.database.consumer_role}`,
      "the run becomes published; COMMIT",
    ],
    locks: [
      "advisory lock on the target's name",
      "SHARE on the stage",
      `none that readers feel: ${displayName(facts.target)} has no readers yet`,
    ],
    rollbackName: null,
  };
}

function nextVersionPlan(existing: ExistingTarget, contract: Contract, target: string): PublicationPlan {
  return {
    ...common(contract),
    reason: `${target} is a view that wap made over ${existing.currentVersion ?? "its last version"}, with the contract's columns: showing another sealed version keeps its identity, owner, grants and dependents.`,
    firstVersion: false,
    steps: [
      ...GUARDED,
      `${target} is frozen against changes, and its inventory compared with preflight`,
      "assert_gate(run, true)",
      `CREATE OR REPLACE VIEW ${target}, in tries of 100 ms`,
      "owner, grants, options, comments and dependents are compared again; one row is read as the consumer role",
      "the run becomes published; COMMIT",
    ],
    locks: [
      "advisory lock on the target's name",
      "SHARE on the stage",
      "SHARE UPDATE EXCLUSIVE on the view (readers go on)",
      "ACCESS EXCLUSIVE on the view for milliseconds; readers wait at most about 100 ms a try",
    ],
    rollbackName: existing.currentVersion,
  };
}

function common(
  contract: Contract,
): Pick<PublicationPlan, "strategy" | "retention" | "lockTimeoutMs" | "statementTimeoutMs" | "consumerRole"> {
  const { retention, lock_timeout, statement_timeout } = contract.promotion;
  return {
    strategy: "view",
    retention: { versions: retention.versions, age: retention.age, observeFor: retention.observe_for },
    lockTimeoutMs: durationMs(lock_timeout),
    statementTimeoutMs: durationMs(statement_timeout),
    consumerRole: contract.database.consumer_role,
  };
}
