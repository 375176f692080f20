// The Action's entry point.
import { runAction } from "./run.ts";

await runAction(process.env);
