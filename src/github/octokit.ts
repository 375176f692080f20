// The two names of octokit that the client uses.
export { RequestError } from "@octokit/request-error";
export { Octokit } from "@octokit/rest";
