// The command line: a list of verbs. Every verb is one file under commands/.
import { main } from "./program.ts";

// Whoever reads us may stop early (`wap show … | head`): that is no fault of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

process.exitCode = await main(process.argv.slice(2), process);
