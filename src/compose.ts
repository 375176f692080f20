// The only place that names concrete engines and sources and reads the environment: duties, put together from credentials.
import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { readContract } from "./contracts/read.ts";
import type { Contract } from "./domain/contract.ts";
import { InvalidInput, type Problem, WapError } from "./domain/errors.ts";
import { gitBlobId } from "./domain/fingerprint.ts";
import type { Provenance } from "./domain/manifest.ts";
import type { Outcome } from "./domain/outcome.ts";
import type { RunId } from "./domain/run.ts";
import { redactor, secretsOfUrl } from "./domain/secrets.ts";
import { postgresApprover } from "./engines/postgres/approver.ts";
import { postgresAuditor } from "./engines/postgres/auditor.ts";
import { postgresBuilder } from "./engines/postgres/builder.ts";
import {
  type Credential,
  loginOf,
  readCredential,
  type Session,
  withSession,
} from "./engines/postgres/connection.ts";
import { postgresControlReader } from "./engines/postgres/control-reader.ts";
import {
  type SetupResult,
  setUpControlSchema,
  verifySetup as verifySetupOf,
} from "./engines/postgres/control-schema.ts";
import { postgresPublisher } from "./engines/postgres/publisher.ts";
import type { Approver, ControlReader, Log, Preflight, Publisher, TransformText } from "./ports.ts";
import { csvSource } from "./sources/csv/csv-source.ts";
import type { AuditDuties, AuditRequest } from "./steps/index.ts";

/** What an entry point (CLI, Action) brings: the environment, the repository's root, the date, and where to speak. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Root of the repository; paths of contracts are relative to it. */
  readonly root: string;
  readonly now: () => Date;
  readonly log: Log;
  /** Called with a way to cancel what runs in the server, while something runs; null when it is over. */
  readonly onCancellable?: (cancel: (() => Promise<void>) | null) => void;
}

/** A contract of the repository, with everything that a person needs to find a place in it. */
export interface LoadedContract {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly contract: Contract | null;
  readonly problems: readonly Problem[];
  /** Line and column (from 1) of a place in the file, for example `["clauses", "volume", "rows"]`. */
  readonly positionOf: (segments: readonly (string | number)[]) => {
    readonly line: number;
    readonly column: number;
  };
}

/** A file of the repository; nothing outside its root is ever read. @throws WapError source_unreadable */
export async function readRepositoryFile(root: string, path: string): Promise<Uint8Array> {
  try {
    const [base, file] = await Promise.all([realpath(root), realpath(resolve(root, path))]);
    if (file !== base && !file.startsWith(base + sep))
      throw new WapError("source_unreadable", `${path} lies outside the repository`);
    return await readFile(file);
  } catch (error) {
    if (error instanceof WapError) throw error;
    throw new WapError("source_unreadable", `${path} cannot be read`, { cause: error });
  }
}

export async function loadContract(
  surroundings: Pick<Surroundings, "root" | "now">,
  path: string,
): Promise<LoadedContract> {
  const bytes = await readRepositoryFile(surroundings.root, path);
  return { path, bytes, ...readContract(path, bytes, surroundings.now()) };
}

/** The contract without problems. @throws InvalidInput with all of them. */
export function validContract(loaded: LoadedContract): Contract {
  const errors = loaded.problems.filter((problem) => problem.severity === "error");
  if (errors.length > 0 || loaded.contract === null) throw new InvalidInput("contract_invalid", errors);
  return loaded.contract;
}

/** The contract's SQL files. @throws WapError source_unreadable */
export async function readTransform(root: string, contract: Contract): Promise<TransformText> {
  const text = async (path: string): Promise<string> =>
    new TextDecoder("utf-8", { fatal: true }).decode(await readRepositoryFile(root, path));
  const { sql, excluded_rows } = contract.transform;
  return {
    path: sql,
    sql: await text(sql),
    excluded: excluded_rows === undefined ? null : { path: excluded_rows, sql: await text(excluded_rows) },
  };
}

/** Git blob id of every file of the repository that a run reads, by path: what an approval on GitHub is bound to. */
export async function repositoryBlobs(
  root: string,
  contractPath: string,
  contract: Contract,
): Promise<Readonly<Record<string, string>>> {
  const blobs: Record<string, string> = {};
  for (const path of repositoryFiles(contractPath, contract))
    blobs[path] = gitBlobId(await readRepositoryFile(root, path));
  return blobs;
}

/** Paths of the files that a contract's run reads: itself, its SQL, its delivery, its lists of keys and custom audits. */
export function repositoryFiles(contractPath: string, contract: Contract): readonly string[] {
  const files = new Set([contractPath, contract.transform.sql, contract.source.path]);
  if (contract.transform.excluded_rows !== undefined) files.add(contract.transform.excluded_rows);
  const walk = (value: unknown, key: string): void => {
    if ((key === "keys_file" || key === "file") && typeof value === "string") files.add(value);
    else if (typeof value === "object" && value !== null)
      for (const [k, v] of Object.entries(value)) walk(v, k);
  };
  walk(contract.clauses, "");
  return [...files];
}

/** The git revision of the working tree, or null outside git. */
export async function gitRevision(root: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd: root });
    return stdout.trim();
  } catch {
    return null;
  }
}

export async function auditRequest(
  surroundings: Surroundings,
  loaded: LoadedContract,
  runId: RunId,
  provenance: Provenance,
  revision: string | null,
): Promise<AuditRequest> {
  const contract = validContract(loaded);
  return {
    runId,
    contract,
    contractPath: loaded.path,
    transform: await readTransform(surroundings.root, contract),
    source: csvSource({ root: surroundings.root, path: contract.source.path, source: contract.source }),
    provenance,
    revision,
  };
}

/** Lends the duties that build and audit: one session where one credential holds both, two otherwise. */
export async function withAuditDuties<T>(
  surroundings: Surroundings,
  contract: Contract,
  urlEnv: string | null,
  use: (duties: AuditDuties) => Promise<T>,
): Promise<T> {
  const build = readCredential(urlEnv ?? contract.database.url_env, surroundings.environment);
  const auditVariable = contract.database.audit_url_env;
  return withLoggedSession(surroundings, build, async (builder) => {
    const duties = (auditor: Session): AuditDuties => ({
      builder: postgresBuilder(builder),
      auditor: postgresAuditor(auditor, filesOf(surroundings.root)),
      reader: postgresControlReader(builder),
      log: surroundings.log,
    });
    if (auditVariable === undefined || auditVariable === build.variable) return use(duties(builder));
    return withSession(readCredential(auditVariable, surroundings.environment), (auditor) =>
      use(duties(auditor)),
    );
  });
}

const filesOf =
  (root: string) =>
  async (path: string): Promise<Uint8Array> =>
    readRepositoryFile(root, path);

export interface ReadDuty {
  readonly reader: ControlReader;
}

/** Lends one duty through the credential in the named variable. */
export const withReader = <T>(
  surroundings: Surroundings,
  variable: string,
  use: (duty: ReadDuty) => Promise<T>,
): Promise<T> =>
  withLoggedSession(surroundings, readCredential(variable, surroundings.environment), (session) =>
    use({ reader: postgresControlReader(session) }),
  );

export const withApprover = <T>(
  surroundings: Surroundings,
  variable: string,
  use: (
    duty: ReadDuty & { readonly approver: Approver; readonly log: Log; readonly login: string },
  ) => Promise<T>,
): Promise<T> =>
  withLoggedSession(surroundings, readCredential(variable, surroundings.environment), async (session) =>
    use({
      reader: postgresControlReader(session),
      approver: postgresApprover(session),
      log: surroundings.log,
      login: await loginOf(session),
    }),
  );

export const withPublisher = <T>(
  surroundings: Surroundings,
  variable: string,
  use: (duty: ReadDuty & { readonly publisher: Publisher; readonly log: Log }) => Promise<T>,
): Promise<T> => {
  const credential = readCredential(variable, surroundings.environment);
  return withLoggedSession(surroundings, credential, (session) =>
    use({
      reader: postgresControlReader(session),
      publisher: postgresPublisher(session, (again) => withSession(credential, again)),
      log: surroundings.log,
    }),
  );
};

async function withLoggedSession<T>(
  surroundings: Surroundings,
  credential: Credential,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  return withSession(credential, async (session) => {
    surroundings.onCancellable?.(session.cancel);
    try {
      return await use(session);
    } finally {
      surroundings.onCancellable?.(null);
    }
  });
}

/** Read-only: what a publish of this contract would do. */
export const planOf = (
  surroundings: Surroundings,
  contract: Contract,
  urlEnv: string | null,
): Promise<Outcome<Preflight>> =>
  withAuditDuties(surroundings, contract, urlEnv, async ({ builder }) => {
    const source = csvSource({
      root: surroundings.root,
      path: contract.source.path,
      source: contract.source,
    });
    return builder.preflight(contract, { ref: source.ref, bytes: (await source.identify()).bytes });
  });

const withAdministrator = <T>(
  surroundings: Surroundings,
  variable: string,
  use: (session: Session) => Promise<T>,
): Promise<T> => withLoggedSession(surroundings, readCredential(variable, surroundings.environment), use);

export const setUp = (surroundings: Surroundings, variable: string): Promise<Outcome<SetupResult>> =>
  withAdministrator(surroundings, variable, setUpControlSchema);

export const verifySetup = (surroundings: Surroundings, variable: string): Promise<Outcome<SetupResult>> =>
  withAdministrator(surroundings, variable, verifySetupOf);

export {
  controlSchemaScript as setupScript,
  DUTY_GRANTS as dutyGrants,
} from "./engines/postgres/control-schema.ts";

/** Masks every secret of the environment's connection strings and tokens, in every form in which it may appear (safety U4). */
export function environmentRedactor(
  environment: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || value === "") continue;
    if (/^[a-z][a-z0-9+.-]*:\/\/[^/\s]*@/i.test(value)) secrets.push(...secretsOfUrl(value));
    else if (/(TOKEN|PASSWORD|SECRET)$/i.test(name) && value.length >= 6) secrets.push(value);
  }
  return redactor(secrets);
}

/** Path relative to the root, with forward slashes, as contracts and GitHub write it. */
export const repositoryPath = (root: string, path: string): string =>
  relative(root, join(root, path)).split(sep).join("/");
