// What an event says happened; everything else in it is nobody's word (product: Events; O41, O42, O43, O46, O47).
import { describe, expect, test } from "vitest";
import { parseEvent } from "../../src/github/events.ts";

const HEAD = "a".repeat(40);
const pull = (action: string, change: object = {}) => ({
  action,
  number: 3,
  pull_request: {
    merged: false,
    head: { sha: HEAD, repo: { full_name: "acme/data" } },
    base: { repo: { full_name: "acme/data" } },
    ...change,
  },
});
const comment = (action: string, change: object = {}) => ({
  action,
  issue: { number: 3, pull_request: { url: "https://api.github.com/repos/acme/data/pulls/3" } },
  comment: { id: 11, body: "/publish", user: { login: "lena" }, author_association: "OWNER" },
  ...change,
});

describe("pull_request", () => {
  test.each(["opened", "synchronize", "reopened", "ready_for_review"])(
    "%s asks for an audit of the head, not of the merge commit (R33)",
    (action) => {
      expect(parseEvent("pull_request", pull(action))).toEqual({
        kind: "pull_request",
        number: 3,
        fork: false,
        headSha: HEAD,
      });
    },
  );

  test.each(["labeled", "edited", "assigned", "converted_to_draft"])("%s asks for nothing", (action) => {
    expect(parseEvent("pull_request", pull(action)).kind).toBe("ignored");
  });

  test("of a fork, or of a fork that is gone, is one of a fork (O47)", () => {
    expect(
      parseEvent(
        "pull_request",
        pull("opened", { head: { sha: HEAD, repo: { full_name: "mallory/data" } } }),
      ),
    ).toMatchObject({ fork: true });
    expect(parseEvent("pull_request", pull("opened", { head: { sha: HEAD, repo: null } }))).toMatchObject({
      fork: true,
    });
  });

  test("closed is a merge only where it was merged (O46)", () => {
    expect(parseEvent("pull_request", pull("closed", { merged: true }))).toEqual({
      kind: "pull_request_merged",
      number: 3,
    });
    expect(parseEvent("pull_request", pull("closed"))).toEqual({ kind: "pull_request_closed", number: 3 });
    expect(parseEvent("pull_request", pull("closed", { merged: null }))).toEqual({
      kind: "pull_request_closed",
      number: 3,
    });
  });
});

describe("issue_comment", () => {
  test("created on a pull request is a comment; who wrote it is asked of GitHub, not of the event (R9, O43)", () => {
    expect(parseEvent("issue_comment", comment("created"))).toEqual({
      kind: "comment",
      commentId: 11,
      issue: 3,
      body: "/publish",
    });
  });

  test.each(["edited", "deleted"])("%s never asks for anything (R12, O42)", (action) => {
    expect(parseEvent("issue_comment", comment(action)).kind).toBe("ignored");
  });

  test("on a plain issue asks for nothing (O42)", () => {
    expect(parseEvent("issue_comment", comment("created", { issue: { number: 4 } })).kind).toBe("ignored");
    expect(
      parseEvent("issue_comment", comment("created", { issue: { number: 4, pull_request: null } })).kind,
    ).toBe("ignored");
  });
});

test.each(["pull_request_target", "workflow_run", "pull_request_review", "release"])(
  "%s is never acted on",
  (name) => {
    expect(parseEvent(name, pull("opened")).kind).toBe("ignored");
  },
);

test.each([
  ["pull_request", {}],
  ["pull_request", null],
  ["pull_request", pull("opened", { head: { sha: 7, repo: null } })],
  ["issue_comment", comment("created", { comment: { id: "11; rm -rf", body: "x" } })],
])("a %s event that is none is a usage error that repeats nothing of it", (name, payload) => {
  const thrown = (() => {
    try {
      return parseEvent(name, payload);
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toMatchObject({ code: "usage" });
  expect(String(thrown)).not.toContain("rm -rf");
});
