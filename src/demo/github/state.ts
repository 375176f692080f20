// What the stand-in for GitHub knows: users, teams, repositories, pull requests, comments, reactions, checks. All in memory.
import { gitBlobId } from "../../domain/fingerprint.ts";
import { GITHUB_EXAMPLES } from "../../generated/github-examples.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
export type JsonObject = { [key: string]: Json | undefined };

export type Role = "admin" | "maintain" | "write" | "triage" | "read" | "none";

export interface StandInUser {
  readonly id: number;
  readonly login: string;
  readonly type: "User" | "Bot";
}

export interface StandInComment {
  readonly id: number;
  readonly issue: number;
  readonly author: StandInUser;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
  readonly reactions: { readonly content: string; readonly by: string }[];
}

export interface StandInPull {
  readonly number: number;
  readonly title: string;
  readonly author: StandInUser;
  headSha: string;
  baseSha: string;
  readonly baseRef: string;
  readonly headRepository: string;
  state: "open" | "closed";
  merged: { readonly by: StandInUser; readonly sha: string } | null;
  /** Paths that the pull request changes. */
  files: readonly string[];
  commits: { readonly sha: string; readonly author: string | null; readonly committer: string | null }[];
  readonly events: { readonly at: string; readonly author: string; readonly text: string }[];
}

export interface StandInCheck {
  readonly id: number;
  readonly data: JsonObject;
  readonly annotations: Json[];
}

export interface StandInRepository {
  readonly id: number;
  readonly fullName: string;
  readonly collaborators: Record<string, Role>;
  /** Files of a commit: sha → path → bytes. */
  readonly trees: Map<string, ReadonlyMap<string, Uint8Array>>;
  readonly branches: Map<string, string>;
  readonly pulls: Map<number, StandInPull>;
  readonly comments: StandInComment[];
  readonly checks: StandInCheck[];
}

/** What a token may do, as a workflow's `permissions:` say. */
export interface StandInToken {
  readonly login: string;
  readonly permissions: Readonly<Record<string, "read" | "write">>;
}

/** A deep copy of one of GitHub's own examples, to be filled in. */
export const example = (name: keyof typeof GITHUB_EXAMPLES): JsonObject =>
  JSON.parse(JSON.stringify(GITHUB_EXAMPLES[name]));

export class StandInState {
  readonly users = new Map<string, StandInUser>();
  readonly teams = new Map<string, Record<string, "active" | "pending">>();
  readonly tokens = new Map<string, StandInToken>();
  readonly repositories = new Map<string, StandInRepository>();
  private lastId = 1000;
  private lastInstant = Date.parse("2026-11-26T06:00:00Z");

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** A clock that goes on by a second at each look: orders events without telling the machine's time. */
  now(): string {
    this.lastInstant += 1000;
    return new Date(this.lastInstant).toISOString().replace(".000Z", "Z");
  }

  user(login: string): StandInUser {
    const known = this.users.get(login.toLowerCase());
    if (known !== undefined) return known;
    const made: StandInUser = { id: this.nextId(), login, type: login.endsWith("[bot]") ? "Bot" : "User" };
    this.users.set(login.toLowerCase(), made);
    return made;
  }

  addRepository(fullName: string, collaborators: Record<string, Role>): StandInRepository {
    const repository: StandInRepository = {
      id: this.nextId(),
      fullName,
      collaborators,
      trees: new Map(),
      branches: new Map(),
      pulls: new Map(),
      comments: [],
      checks: [],
    };
    for (const login of Object.keys(collaborators)) this.user(login);
    this.repositories.set(fullName.toLowerCase(), repository);
    return repository;
  }

  /** Commits a tree: the files of a parent with some replaced or, where null, removed. */
  commit(
    repository: StandInRepository,
    parent: string | null,
    files: Readonly<Record<string, string | Uint8Array | null>>,
  ): string {
    const tree = new Map(parent === null ? [] : repository.trees.get(parent));
    for (const [path, bytes] of Object.entries(files)) {
      if (bytes === null) tree.delete(path);
      else tree.set(path, typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    }
    const sha = gitBlobId(
      Buffer.from([...tree].map(([path, bytes]) => `${path} ${gitBlobId(bytes)}`).join("\n") + this.nextId()),
    );
    repository.trees.set(sha, tree);
    return sha;
  }

  addPull(
    repository: StandInRepository,
    pull: {
      number: number;
      title: string;
      author: string;
      headSha: string;
      baseSha: string;
      files: readonly string[];
      headRepository?: string;
      baseRef?: string;
    },
  ): StandInPull {
    const author = this.user(pull.author);
    const made: StandInPull = {
      number: pull.number,
      title: pull.title,
      author,
      headSha: pull.headSha,
      baseSha: pull.baseSha,
      baseRef: pull.baseRef ?? "main",
      headRepository: pull.headRepository ?? repository.fullName,
      state: "open",
      merged: null,
      files: pull.files,
      commits: [{ sha: pull.headSha, author: pull.author, committer: pull.author }],
      events: [{ at: this.now(), author: pull.author, text: `opened this pull request: ${pull.title}` }],
    };
    repository.pulls.set(pull.number, made);
    return made;
  }

  /** New commits on a pull request's branch. */
  push(pull: StandInPull, headSha: string, by: string, files: readonly string[] = pull.files): void {
    pull.headSha = headSha;
    pull.files = files;
    pull.commits.push({ sha: headSha, author: by, committer: by });
    pull.events.push({ at: this.now(), author: by, text: `pushed ${headSha.slice(0, 7)}` });
  }

  addComment(repository: StandInRepository, issue: number, login: string, body: string): StandInComment {
    const at = this.now();
    const comment: StandInComment = {
      id: this.nextId(),
      issue,
      author: this.user(login),
      body,
      createdAt: at,
      updatedAt: at,
      reactions: [],
    };
    repository.comments.push(comment);
    return comment;
  }
}
