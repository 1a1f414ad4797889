import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { environmentsFolder } from "../../sandbox/linux/environments.ts";
import { type LinuxLimits, linuxLimits } from "../../sandbox/linux/linux-limits.ts";
import { sandboxDocumentReader, sandboxPageTaker } from "../../sandbox/document-reader.ts";
import { sandboxResultChecker } from "../../sandbox/result-checker.ts";
import type { TextIndex } from "../../runs/ports.ts";
import type { Platform } from "../platform-types.ts";
import { readAllowedAddresses } from "./process/allowed-addresses.ts";
import { type SecretAllowList, readAllowedSecrets, secretAllowList } from "./process/allowed-secrets.ts";
import { accountsOf } from "../records/accounts.ts";
import { trialsOf } from "../records/trials.ts";
import { localConfigurations } from "./configurations.ts";
import { type LocalDeliveries, localDeliveries } from "./deliveries.ts";
import { removeOrphanedFiles } from "./database/orphaned-files.ts";
import { type LocalPendingUploads, localPendingUploads } from "./pending-uploads.ts";
import { type LocalLinux, localLinux, type SandboxChoice } from "./linux.ts";
import { localRemoval } from "./removal.ts";
import { storedSecrets } from "./process/stored-secrets.ts";
import { localRecords } from "./records.ts";
import { localRecordBytes } from "./run-events.ts";
import { localRuns } from "./run-store.ts";
import { localSandbox } from "./sandbox.ts";
import { localSecrets } from "./secrets.ts";
import { type Database, openDatabase } from "./database/sqlite.ts";
import { trialCompanions } from "../../trials/erase-trials.ts";
import { localTextIndex } from "./database/text-index.ts";
import { type LocalWorkspace, localWorkspace } from "./workspace.ts";

/** The server adds the workflow that `startRunner` returns, other processes on its data directory `externalWorkflow`. */
export interface LocalPlatform extends Omit<Platform, "workflow"> {
  database: Database;
  deliveries: LocalDeliveries;
  workspace: LocalWorkspace;
  pendingUploads: LocalPendingUploads;
  programs: LocalLinux;
  textIndex: TextIndex;
  /** Bytes of the record of a run: see `localRecordBytes`. */
  recordBytes: (runId: string) => number;
  /** See `orphaned-files.ts`. */
  removeOrphanedFiles: (before: number) => Promise<void>;
}

export interface LocalPlatformOptions {
  /** Holds a SQLite file and the workspaces. Created if missing. */
  dataDir: string;
  /** Environment variables: those of secrets named `env:NAME`, and of the folder with Linux environments. */
  environment?: Record<string, string | undefined>;
  /** Default: that of the service's last start. */
  allowList?: SecretAllowList;
  /** How programs are run in a Linux. Default: `auto`. */
  sandbox?: SandboxChoice;
  /** Single addresses that `web_fetch`, webhooks and MCP may reach. Default: those of the service's last start. */
  allowedAddresses?: string[];
  /** Limits of programs in a Linux. Default: those of `linuxLimits`. */
  programLimits?: Partial<LinuxLimits>;
}

/**
 * Creates a directory and its missing parents. The first one is created without `recursive`, with which Node 24 never
 * returns where the parent exists and mkdir fails with ENOENT, as below /proc.
 */
function makeDirectories(path: string): void {
  let first = path;
  while (!existsSync(dirname(first))) first = dirname(first);
  if (!existsSync(first)) mkdirSync(first, { recursive: false, mode: 0o700 });
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Its name in the data directory. */
export const databaseFile = "runs.sqlite";
/** The index of a search in texts, which is made again when it is missing. */
const searchFile = "search.sqlite";

export function openLocalPlatform({
  dataDir,
  environment = {},
  allowList,
  allowedAddresses,
  sandbox: choice = "auto",
  programLimits,
}: LocalPlatformOptions): LocalPlatform {
  const workspaces = join(dataDir, "workspaces");
  const pending = join(dataDir, "pending-uploads");
  const file = join(dataDir, databaseFile);
  prepareFolders(dataDir, [workspaces, pending]);
  closeSync(openSync(file, "a", 0o600)); // transcripts are private; SQLite would use the umask
  const database = openDatabase(file);
  const records = localRecords(database);
  const named = allowedAddresses ?? readAllowedAddresses(dataDir);
  const textIndex = localTextIndex({ file, indexFile: join(dataDir, searchFile) });
  const runs = localRuns(database, (runId) => textIndex.forget(runId));
  const workspace = localWorkspace(workspaces);
  const pendingUploads = localPendingUploads(database, { root: pending, workspaces });
  const secrets = storedSecrets(dataDir);
  const trials = trialsOf(records);
  const removal = localRemoval(database, pendingUploads, secrets);
  const sandbox = localSandbox();
  const linux = localLinux(
    { workspaces, programs: resolve(dataDir, "programs"), environments: environmentsFolder(environment) },
    choice,
    { ...linuxLimits, ...programLimits },
  );

  return {
    database,
    accounts: accountsOf(records),
    runs,
    workspace,
    pendingUploads,
    textIndex,
    recordBytes: localRecordBytes(database),
    removal,
    companions: trialCompanions({ trials, removal }),
    configurations: localConfigurations(database),
    deliveries: localDeliveries(database),
    trials,
    ...localSecrets(environment, dataDir, allowList ?? secretAllowList(readAllowedSecrets(dataDir), dataDir), secrets),
    sandboxOf: (owner) => sandbox.of(owner),
    programs: linux,
    linuxOf: linux.linuxOf,
    readDocumentOf: (owner) => sandboxDocumentReader(sandbox.of(owner)),
    takePagesOf: (owner) => sandboxPageTaker(sandbox.of(owner)),
    checkResultOf: (owner) => sandboxResultChecker(sandbox.of(owner)),
    addresses: { range: "private", named },
    mcpAddresses: { range: "local", named }, // agent files are operators' own, and name servers of this machine
    removeOrphanedFiles: (before) => removeOrphanedFiles({ database, runs, workspace, root: workspaces }, before),
    close() {
      sandbox.close();
      linux.close();
      textIndex.close();
      database.close();
    },
  };
}

/** Makes folders of the data directory. Throws if one of them, or the directory, cannot be used. */
function prepareFolders(dataDir: string, folders: string[]): void {
  for (const folder of folders) makeDirectories(resolve(folder));
  for (const folder of [dataDir, ...folders]) accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}
