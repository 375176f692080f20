// What an operation of the stand-in is: its route, what the token needs, and its answer.
import type { Json, JsonObject, StandInRepository, StandInState, StandInToken } from "./state.ts";

export interface Call {
  readonly state: StandInState;
  readonly repository: StandInRepository | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly token: StandInToken;
}

/** Status and body; a list is cut into pages by the server. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly list?: readonly Json[];
  /** The bytes themselves, for whoever asks for GitHub's raw media type. */
  readonly raw?: Uint8Array;
}

export interface Operation {
  readonly method: string;
  /** Template with `{name}`; `{path}` and `{ref}` may hold slashes. */
  readonly path: string;
  /** What the token needs, as `permission` and level; any of several. */
  readonly needs: readonly (readonly [permission: string, level: "read" | "write"])[];
  readonly answer: (call: Call) => Answer;
}

export const ok = (body: Json, status = 200, raw?: Uint8Array): Answer =>
  raw === undefined ? { status, body } : { status, body, raw };
export const list = (items: readonly Json[]): Answer => ({ status: 200, body: null, list: items });
export const notFound: Answer = {
  status: 404,
  body: { message: "Not Found", documentation_url: "https://docs.github.com/rest", status: "404" },
};
