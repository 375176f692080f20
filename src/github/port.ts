// The questions that are asked of GitHub, and the few things that are told it. No decision is taken here.

export interface PullRequest {
  readonly number: number;
  readonly state: "open" | "closed";
  readonly merged: boolean;
  readonly mergedBy: string | null;
  readonly mergeCommitSha: string | null;
  readonly headSha: string;
  /** `owner/name` of the repository that the head lies in; null where it is gone. */
  readonly headRepository: string | null;
  readonly baseRef: string;
  /** The tip of the base branch at this moment. */
  readonly baseSha: string;
  /**
   * What GitHub calls `base.sha`: the commit that the pull request was last pushed against. It may name approvers who are none any
   * more; it is for merged ones, where the tip holds the pull request itself.
   */
  readonly recordedBaseSha: string;
  /** The repository's default branch: the only base whose policy and code owners count. */
  readonly defaultBranch: string;
  readonly repositoryId: string;
  readonly author: string;
}

export interface Comment {
  readonly id: number;
  readonly body: string;
  readonly author: { readonly id: string; readonly login: string; readonly isUser: boolean };
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly url: string;
}

/** A user's standing in the repository, by `role_name` (never by author_association). */
export interface Standing {
  readonly roleName: string;
  /** Permissions that the role stands for; a custom role has those of its base. */
  readonly permissions: { readonly admin: boolean; readonly maintain: boolean; readonly push: boolean };
}

export type ThreeValued = "yes" | "no" | "unknown";

export interface CheckAnnotation {
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly message: string;
}

export interface CheckRun {
  readonly name: string;
  readonly headSha: string;
  /** The run id, or another id of ours. */
  readonly externalId: string;
  readonly conclusion: "success" | "failure" | "neutral";
  readonly title: string;
  readonly summary: string;
  readonly annotations: readonly CheckAnnotation[];
}

/** Every question may end in a WapError `github_unavailable`; none holds the token. */
export interface GitHub {
  /** `owner/name` */
  readonly repository: string;
  readonly pullRequest: (number: number) => Promise<PullRequest>;
  readonly changedFiles: (number: number) => Promise<readonly string[]>;
  /** Logins of the authors and committers of a pull request's commits; null where a commit has none, or there are too many to list. */
  readonly committers: (number: number) => Promise<readonly string[] | null>;
  /** A file's text at a commit; null where there is none. */
  readonly fileAt: (path: string, ref: string) => Promise<string | null>;
  /** Git blob id of a file at a commit; null where there is none. */
  readonly blobAt: (path: string, ref: string) => Promise<string | null>;
  /** Null where the comment was deleted. */
  readonly comment: (id: number) => Promise<Comment | null>;
  readonly comments: (issue: number) => Promise<readonly Comment[]>;
  readonly createComment: (issue: number, body: string) => Promise<Comment>;
  /** False where the comment was deleted. */
  readonly updateComment: (id: number, body: string) => Promise<boolean>;
  /** Deletes a comment; one that is gone already is no error. */
  readonly deleteComment: (id: number) => Promise<void>;
  readonly react: (commentId: number, reaction: "eyes" | "rocket" | "-1" | "confused") => Promise<void>;
  readonly publishCheck: (check: CheckRun) => Promise<void>;
  /** @throws WapError authority_unknown where the token may not ask. A login that GitHub does not know has no permission. */
  readonly standing: (login: string) => Promise<Standing>;
  /** Unknown where the token may not read the team; a pending membership is none. */
  readonly inTeam: (organisation: string, team: string, login: string) => Promise<ThreeValued>;
  /** Id of the user that the token acts for; null for a token that may not ask (GITHUB_TOKEN and Apps act as a bot). */
  readonly self: () => Promise<string | null>;
}
