// Keys that freshness checks share: the column, the zone in which dates and zoneless timestamps are meant, and the clock.
import { z } from "zod";
import { sqlName } from "../contract/scalars.ts";

export const clockKeys = {
  column: sqlName,
  zone: z.string("write an IANA zone").optional().describe("Needed for date and timestamp columns."),
  clock: z
    .enum(["run_start", "as_of"])
    .default("run_start")
    .describe("The run's start, or the delivery's declared `source.as_of`."),
};
