// Whether a person is one of the approvers that the base branch names: users, teams, code owners, permissions; yes, no or cannot know.
import type { ApproverAnswer } from "../domain/approval.ts";
import { CODEOWNERS_PLACES, type CodeownersRule, parseCodeowners, rulingFor } from "../domain/codeowners.ts";
import { WapError } from "../domain/errors.ts";
import type { RunRecord } from "../domain/manifest.ts";
import type { GitHub, Standing } from "./port.ts";

/** For each path: the deciding rule of CODEOWNERS at a commit. */
export type Rulings = readonly { readonly path: string; readonly rule: CodeownersRule | null }[];

/** Null where the commit has no CODEOWNERS. */
export async function codeownersAt(
  github: GitHub,
  paths: readonly string[],
  sha: string,
): Promise<Rulings | null> {
  for (const place of CODEOWNERS_PLACES) {
    const text = await github.fileAt(place, sha);
    if (text === null) continue;
    const parsed = parseCodeowners(text);
    return paths.map((path) => ({ path, rule: rulingFor(path, parsed) }));
  }
  return null;
}

export const approverEntries = (
  named: readonly string[] | null,
  fallback: readonly string[] | null,
  owners: Rulings | null,
): readonly string[] => named ?? fallback ?? (owners === null ? ["permission:maintain"] : ["codeowners"]);

interface Asked {
  readonly github: GitHub;
  readonly run: RunRecord;
  readonly policy: { readonly approvers: readonly string[] | null };
  readonly fallback: readonly string[] | null;
  /** The commit that names the approvers; never one of the pull request. */
  readonly baseSha: string;
}

/** A question that can be put for several people; CODEOWNERS is read once. */
export function standingAsker(asked: Asked): (login: string) => Promise<readonly ApproverAnswer[]> {
  const { github, run, policy, fallback, baseSha } = asked;
  const paths = run.provenance.kind === "github" ? Object.keys(run.provenance.blobs) : [run.contractPath];
  let owners: Promise<Rulings | null> | null = null;
  return async (login) => {
    owners ??= codeownersAt(github, paths, baseSha);
    const rulings = await owners;
    const person = personOf(github, login);
    const answers: ApproverAnswer[] = [];
    for (const entry of approverEntries(policy.approvers, fallback, rulings)) {
      if (entry === "codeowners")
        answers.push(
          rulings === null
            ? { entry, answer: "no", because: "the base branch has no CODEOWNERS" }
            : await ownerOfEveryFile(rulings, person),
        );
      else if (entry.startsWith("permission:")) answers.push(await byPermission(entry, person));
      else answers.push({ entry, ...(await person.isNamedBy(entry)) });
    }
    return answers;
  };
}

interface Known {
  readonly answer: ApproverAnswer["answer"];
  readonly because: string;
}

interface PersonAsked {
  readonly login: string;
  /** Asked once; what the token may not ask is a sentence. */
  readonly standing: () => Promise<Standing | { readonly unknown: string }>;
  readonly isNamedBy: (handle: string) => Promise<Known>;
}

function personOf(github: GitHub, login: string): PersonAsked {
  let standing: Promise<Standing | { readonly unknown: string }> | null = null;
  return {
    login,
    standing: () => {
      standing ??= github.standing(login).catch((error: unknown) => {
        if (error instanceof WapError && error.code === "authority_unknown")
          return { unknown: error.message };
        throw error;
      });
      return standing;
    },
    isNamedBy: (handle) => isNamedBy(github, handle, login),
  };
}

/** The person has to own every file of the run, and owners need write access (docs.github.com: About code owners). */
async function ownerOfEveryFile(rulings: Rulings, person: PersonAsked): Promise<ApproverAnswer> {
  const entry = [...new Set(rulings.flatMap(({ rule }) => rule?.owners ?? []))].join(", ") || "codeowners";
  const because = new Set<string>();
  for (const { path, rule } of rulings) {
    if (rule === null || rule.owners.length === 0)
      return { entry, answer: "no", because: `nobody owns ${path} in the base branch's CODEOWNERS` };
    const answers = await Promise.all(rule.owners.map(person.isNamedBy));
    const yes = answers.find((one) => one.answer === "yes");
    const unknown = answers.find((one) => one.answer === "unknown");
    if (yes !== undefined) because.add(`CODEOWNERS line ${rule.line}, ${yes.because}`);
    else if (unknown !== undefined) return { entry, ...unknown };
    else
      return {
        entry,
        answer: "no",
        because: `CODEOWNERS line ${rule.line} gives ${path} to ${rule.owners.join(", ")}`,
      };
  }
  const standing = await person.standing();
  if ("unknown" in standing) return { entry, answer: "unknown", because: standing.unknown };
  if (!standing.permissions.push)
    return { entry, answer: "no", because: `${person.login} is named in CODEOWNERS but has no write access` };
  return { entry, answer: "yes", because: [...because].join("; ") };
}

/** Whether an owner's entry means this person: a user, a team, or (never) a mail address. */
async function isNamedBy(github: GitHub, handle: string, login: string): Promise<Known> {
  const team = /^@([^/\s]+)\/([^/\s]+)$/.exec(handle);
  if (team !== null) {
    const answer = await github.inTeam(team[1] ?? "", team[2] ?? "", login);
    const because = {
      yes: `${login} is a member of ${handle}`,
      no: `${login} is not a member of ${handle}`,
      unknown: `the token may not read the members of ${handle}; it needs the organisation permission "Members: read" (give an App token in the variable WAP_TEAM_TOKEN)`,
    }[answer];
    return { answer, because };
  }
  if (handle.startsWith("@")) {
    const same = handle.slice(1).toLowerCase() === login.toLowerCase();
    return { answer: same ? "yes" : "no", because: same ? `${login} is named` : `${login} is not ${handle}` };
  }
  if (handle.includes("@"))
    return {
      answer: "unknown",
      because: `${handle} is a mail address, which GitHub does not tell whose it is; name a user or a team`,
    };
  return {
    answer: "no",
    because: `${handle} names nobody: write @user, @org/team, codeowners or permission:maintain`,
  };
}

/** Which of the standard roles hold a permission; any other role is a custom one and counts as the permissions it stands for. */
const ROLES_WITH: Readonly<Record<string, readonly string[]>> = {
  "permission:write": ["write", "maintain", "admin"],
  "permission:maintain": ["maintain", "admin"],
  "permission:admin": ["admin"],
};
const STANDARD_ROLES = ["none", "read", "triage", "write", "maintain", "admin"];

async function byPermission(entry: string, person: PersonAsked): Promise<ApproverAnswer> {
  const roles = ROLES_WITH[entry];
  if (roles === undefined)
    return {
      entry,
      answer: "no",
      because: `${entry} is not a permission: write ${Object.keys(ROLES_WITH).join(", ")}`,
    };
  const standing = await person.standing();
  if ("unknown" in standing) return { entry, answer: "unknown", because: standing.unknown };
  const { roleName, permissions } = standing;
  const { admin, maintain, push } = permissions;
  const standsFor = admin ? "admin" : maintain ? "maintain" : push ? "write" : "read";
  const role = STANDARD_ROLES.includes(roleName) ? roleName : standsFor;
  return {
    entry,
    answer: roles.includes(role) ? "yes" : "no",
    because: `${person.login} has the role ${roleName}`,
  };
}
