// One COPY FROM STDIN: back-pressure, the server's own error, and a limit on how long the server may take nothing.
import pg from "pg";
import { type CopyStreamQuery, from as copyFrom } from "pg-copy-streams";
import { WapError } from "../../domain/errors.ts";

export interface RunningCopy {
  /** Returns when the next piece may be sent. @throws the server's error, WapError connection_failed */
  readonly write: (piece: Buffer) => Promise<void>;
  /** Rows that the server took. The connection is free again. */
  readonly end: () => Promise<bigint>;
  /** Makes the server forget the COPY. The connection is free again, or closed. Never throws. */
  readonly abandon: () => Promise<void>;
}

/**
 * Starts the COPY. While the server is waited for, `stalledMs` runs; the time that the caller needs for its next piece does not count.
 * After that long the connection is closed, since nothing else would ever end.
 */
export function openCopy(client: pg.ClientBase, statement: string, stalledMs: number): RunningCopy {
  const stream: CopyStreamQuery = client.query(copyFrom(statement));
  let failure: { readonly error: unknown } | null = null;
  let ended = false;
  const failed = new Promise<never>((_, reject) => {
    stream.on("error", (error: unknown) => {
      failure ??= { error };
      reject(error);
    });
  });
  // It may fail while nobody waits for the server; the next write says so.
  failed.catch(() => undefined);

  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const stalled = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new WapError("connection_failed", `the server took no data for ${stalledMs / 1000} s`);
        failure ??= { error };
        reject(error);
        close(client);
      }, stalledMs);
    });
    try {
      return await Promise.race([answer, failed, stalled]);
    } finally {
      clearTimeout(timer);
    }
  };
  const once = (event: "finish" | "close"): Promise<void> =>
    new Promise((resolve) => {
      stream.once(event, () => resolve());
    });
  const rethrow = (): void => {
    if (failure !== null) throw failure.error;
  };

  return {
    write: async (piece) => {
      rethrow();
      // One piece at a time: a second one that waits in pg-copy-streams would be sent on after an error of the server, and throw
      // where nobody can catch it.
      await inTime(
        new Promise<void>((resolve) => {
          stream.write(piece, () => resolve());
        }),
      );
      rethrow();
    },
    end: async () => {
      rethrow();
      const finished = once("finish");
      stream.end();
      await inTime(finished);
      ended = true;
      return BigInt(stream.rowCount);
    },
    abandon: async () => {
      // A server that said no has forgotten it already.
      if (ended || failure !== null) return;
      const closed = once("close");
      stream.destroy(new Error("the landing was given up"));
      // The server answers with an error of its own, which is the one that was asked for.
      await inTime(closed).catch(() => undefined);
    },
  };
}

/** Closes the socket at once: the server is not asked. */
function close(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.end().catch(() => undefined);
}
