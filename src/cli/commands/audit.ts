// `wap audit`: lands, builds and audits a delivery in isolation, and asks the gate. Readers see nothing of it.
import { auditRequest, gitRevision, loadContract, validContract, withAuditDuties } from "../../compose.ts";
import { contractPaths } from "../../contract-paths.ts";
import { EXIT, type ExitCode, exitCodeOf, refuse } from "../../domain/outcome.ts";
import { newRunId, type RunId } from "../../domain/run.ts";
import { evidenceOf } from "../../evidence/bundle.ts";
import { auditLines } from "../../evidence/terminal.ts";
import { auditDelivery } from "../../steps/index.ts";
import { type Cli, tellRefusal } from "../context.ts";
import { runOfArgument } from "../run-argument.ts";
import { userName } from "../user-name.ts";
import type { Register } from "../verb.ts";

interface Options {
  readonly runId?: string;
}

export const registerAudit: Register = (program, run) => {
  program
    .command("audit")
    .description(
      "land, build and audit a delivery; ends as audited, or as failed with every reading (WAP_BUILD_URL)",
    )
    .argument("<contracts...>", "paths or globs")
    .option("--run-id <UUID>", "name the run; one that exists is reported, never overwritten")
    .addHelpText(
      "before",
      "Example:\n  WAP_BUILD_URL=postgres://builder@host/db wap audit contracts/flights/flights.yml\n",
    )
    .action((patterns: string[], options: Options) =>
      run(async (cli) => {
        const paths = await contractPaths(cli.surroundings.root, patterns);
        const named = options.runId === undefined ? null : runOfArgument(options.runId);
        if (named !== null && paths.length > 1)
          return tellRefusal(
            cli,
            refuse("usage", "--run-id names one run: give one contract with it").refusal,
          );
        const documents: unknown[] = [];
        let worst: ExitCode = EXIT.done;
        for (const path of paths) {
          const { code, document } = await auditOne(cli, path, named ?? newRunId());
          if (document !== null) documents.push(document);
          worst = Math.max(worst, code) as ExitCode;
        }
        if (cli.json && documents.length > 0)
          cli.output.result(JSON.stringify(documents.length === 1 ? documents[0] : { runs: documents }));
        return worst;
      }),
    );
};

async function auditOne(
  cli: Cli,
  path: string,
  runId: RunId,
): Promise<{ code: ExitCode; document: unknown }> {
  const { surroundings } = cli;
  const loaded = await loadContract(surroundings, path);
  const contract = validContract(loaded);
  const revision = await gitRevision(surroundings.root);
  const request = await auditRequest(
    surroundings,
    loaded,
    runId,
    { kind: "cli", initiator: userName(), revision },
    revision,
  );
  return withAuditDuties(surroundings, contract, cli.urlEnv, async (duties) => {
    const result = await auditDelivery(request, duties);
    if (result.runId === null) {
      const existing =
        !result.ok && result.refusal.code === "run_exists" ? await duties.reader.run(runId) : null;
      const code = result.ok
        ? EXIT.done
        : tellRefusal({ ...cli, json: cli.json && existing === null }, result.refusal);
      return { code, document: existing === null ? null : evidenceOf(existing) };
    }
    const record = await duties.reader.run(result.runId);
    if (record === null) return { code: EXIT.environment, document: null };
    const place = (name: string): number | null => {
      const reading = record.readings.find((one) => one.name === name);
      return reading === undefined ? null : loaded.positionOf(["clauses", reading.clause, name]).line;
    };
    for (const line of auditLines(record, {
      style: cli.output.style,
      plain: cli.output.plain,
      lineOf: place,
    })) {
      if (cli.json) cli.output.talk(line);
      else cli.output.result(line);
    }
    return { code: result.ok ? EXIT.done : exitCodeOf(result.refusal.code), document: evidenceOf(record) };
  });
}
