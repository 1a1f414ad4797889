import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isFlatName } from "../../filenames.ts";
import { sandboxDocumentReader } from "../../sandbox/document-reader.ts";
import type { Platform } from "../types.ts";
import { localAccounts } from "./accounts.ts";
import { localRuns } from "./runs.ts";
import { localSandbox } from "./sandbox.ts";
import { localSecrets } from "./secrets.ts";
import { type Database, openDatabase } from "./sqlite.ts";
import { externalWorkflow } from "./workflow.ts";
import { absent, localWorkspace, temporary } from "./workspace.ts";

/** `workflow` is for processes beside the server. The server uses the one that `startRunner` returns. */
export interface LocalPlatform extends Platform {
  database: Database;
  /**
   * Removes what creates left behind when the process was killed: workspaces without a run and temporary files.
   * - Keeps those modified after `before` (milliseconds since 1970): they may be in use.
   * - Rejects and removes nothing when the database has no run at all: then the database is missing.
   */
  removeOrphanedFiles: (before: number) => Promise<void>;
}

export interface LocalPlatformOptions {
  /** Holds a SQLite file and the workspaces. Created if missing. */
  dataDir: string;
  /** Environment for secrets named `env:NAME`. */
  environment?: Record<string, string | undefined>;
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

export function openLocalPlatform({ dataDir, environment = {} }: LocalPlatformOptions): LocalPlatform {
  const workspaces = join(dataDir, "workspaces");
  makeDirectories(resolve(workspaces));
  for (const folder of [dataDir, workspaces]) accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const file = join(dataDir, "runs.sqlite");
  closeSync(openSync(file, "a", 0o600)); // transcripts are private; SQLite would use the umask
  const database = openDatabase(file);
  const runs = localRuns(database);
  const workspace = localWorkspace(workspaces);
  const sandbox = localSandbox();
  const anyRun = database.db.prepare("SELECT 1 FROM runs LIMIT 1");

  return {
    database,
    accounts: localAccounts(database),
    runs,
    workspace,
    workflow: externalWorkflow,
    ...localSecrets(environment, dataDir),
    sandboxOf: () => sandbox,
    readDocument: sandboxDocumentReader(sandbox),
    addresses: "any", // the network is the operator's own
    async removeOrphanedFiles(before) {
      const names = await readdir(workspaces);
      if (names.length > 0 && database.read(() => anyRun.get()) === undefined) {
        throw new Error(
          `${file} contains no runs, but ${workspaces} contains files of runs. They are kept in case the database is ` +
            "restored; remove them otherwise",
        );
      }
      for (const name of names) {
        const found = await stat(join(workspaces, name)).catch(absent); // may be deleted meanwhile
        if (!found || found.mtimeMs >= before) continue;
        if (name.startsWith(temporary)) await rm(join(workspaces, name), { force: true });
        else if (isFlatName(name) && (await runs.status(name)) === undefined) await workspace.removeAll(name);
      }
    },
    close() {
      sandbox.close();
      database.close();
    },
  };
}
