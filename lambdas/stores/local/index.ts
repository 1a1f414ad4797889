import { accessSync, closeSync, constants, mkdirSync, openSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Stores } from "../../runs/ports.ts";
import { localAccounts } from "./accounts.ts";
import { type Database, openDatabase } from "./database.ts";
import { localRuns } from "./runs.ts";
import { localWorkspace } from "./workspace.ts";

export interface LocalStores extends Stores {
  database: Database;
  /**
   * Removes the workspaces of creates that never became a run, because the process ended in between. Those touched
   * after `before` (milliseconds since 1970) are left alone: their create may be under way.
   */
  removeAbandoned(before: number): Promise<void>;
  close(): void;
}

/** The stores of one machine: a SQLite file and a folder of workspaces below `dataDir`, made when missing. */
export function openLocalStores({ dataDir }: { dataDir: string }): LocalStores {
  const workspaces = join(dataDir, "workspaces");
  mkdirSync(workspaces, { recursive: true, mode: 0o700 });
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  const file = join(dataDir, "runs.sqlite");
  closeSync(openSync(file, "a", 0o600)); // transcripts are their owner's, in whatever folder; SQLite would ask the umask
  const database = openDatabase(file);
  const runs = localRuns(database);
  const workspace = localWorkspace(workspaces);
  async function removeWithoutRun(runId: string): Promise<void> {
    if ((await runs.read(runId)) === undefined) await workspace.removeAll(runId);
  }

  return {
    database,
    accounts: localAccounts(database),
    runs: {
      ...runs,
      create: (run, ...created) =>
        runs.create(run, ...created).catch(async (error: unknown) => {
          await removeWithoutRun(run.id); // its files would keep a full disk full until the next start
          throw error;
        }),
    },
    workspace,
    async removeAbandoned(before) {
      for (const runId of await readdir(workspaces)) {
        if ((await stat(join(workspaces, runId))).mtimeMs < before) await removeWithoutRun(runId);
      }
    },
    close: () => database.close(),
  };
}
