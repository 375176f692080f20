// The command line: a list of verbs. Every verb is one file under commands/.
import { main } from "./program.ts";

process.exitCode = await main(process.argv.slice(2), process);
