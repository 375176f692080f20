// A reader of the published table who never stops asking: what they saw, and the longest that they waited.
import pg from "pg";

export interface Seen {
  /** Row counts in the order in which they first appeared. */
  readonly rowCounts: readonly string[];
  readonly reads: number;
  readonly errors: readonly string[];
  readonly longestMs: number;
}

export interface Reader {
  /** The row count that the last read saw; null before the table exists. */
  readonly now: () => string | null;
  readonly stop: () => Promise<Seen>;
}

/** Asks for the row count every 20 ms. A table that does not exist yet is no error until it has been seen once. */
export async function startReader(url: string, table: string): Promise<Reader> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const rowCounts: string[] = [];
  const errors: string[] = [];
  let reads = 0;
  let longestMs = 0;
  let stopped = false;
  const reading = (async () => {
    while (!stopped) {
      const start = performance.now();
      try {
        const { rows } = await client.query(`SELECT count(*)::text AS n FROM ${table}`);
        const count = String(rows[0]?.n);
        if (rowCounts.at(-1) !== count) rowCounts.push(count);
        reads += 1;
        longestMs = Math.max(longestMs, performance.now() - start);
      } catch (error) {
        if (rowCounts.length > 0) errors.push(error instanceof Error ? error.message : String(error));
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    now: () => rowCounts.at(-1) ?? null,
    stop: async () => {
      stopped = true;
      await reading;
      await client.end();
      return { rowCounts, reads, errors, longestMs };
    },
  };
}
