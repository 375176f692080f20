// Starts the shared server before the tests and ends it after them.
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../src/embedded/postgres.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["WAP_TEST_POSTGRES_URL"];
  if (given !== undefined && given !== "") {
    project.provide("postgresUrl", given);
    return async () => undefined;
  }
  const native = process.env["WAP_TEST_POSTGRES_NATIVE"];
  const server = await startEmbeddedPostgres({
    ...(native === undefined || native === "" ? {} : { native }),
    settings: ["max_connections=200"],
  });
  project.provide("postgresUrl", server.url());
  return server.stop;
}
