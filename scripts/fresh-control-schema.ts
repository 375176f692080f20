// The control schema of a fresh setup, as the generator and the golden test take it.

import { startEmbeddedPostgres } from "../src/embedded/postgres.ts";
import { withSession } from "../src/engines/postgres/connection.ts";
import {
  type ControlDump,
  controlSchemaScript,
  dumpControlSchema,
} from "../src/engines/postgres/control-schema.ts";

/** Sets up an empty embedded server and dumps what was made. */
export async function freshControlSchema(): Promise<ControlDump> {
  const server = await startEmbeddedPostgres();
  try {
    return await withSession({ variable: "the embedded server", url: server.url() }, async (session) => {
      await session.client.query(controlSchemaScript());
      const dump = await dumpControlSchema(session);
      return Object.fromEntries(Object.entries(dump).sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  } finally {
    await server.stop();
  }
}
