import { accessSync, closeSync, constants, mkdirSync, openSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isFlatName } from "../../filenames.ts";
import type { Stores } from "../../runs/ports.ts";
import { localAccounts } from "./accounts.ts";
import { type Database, openDatabase } from "./sqlite.ts";
import { localRuns } from "./runs.ts";
import { absent, localWorkspace, temporary } from "./workspace.ts";

export interface LocalStores extends Stores {
  database: Database;
  /**
   * Removes the workspaces of creates that never became a run, and files that were being written, when the process
   * ended. Those touched after `before` (milliseconds since 1970) are left alone: they may be in use. Rejects, and
   * removes nothing, when there is no run at all: then it is the database that is missing.
   */
  removeAbandoned(before: number): Promise<void>;
  close(): void;
}

/** The stores of one machine: a SQLite file and a folder of workspaces below `dataDir`, made when missing. */
export function openLocalStores({ dataDir }: { dataDir: string }): LocalStores {
  const workspaces = join(dataDir, "workspaces");
  mkdirSync(workspaces, { recursive: true, mode: 0o700 });
  for (const folder of [dataDir, workspaces]) accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const file = join(dataDir, "runs.sqlite");
  closeSync(openSync(file, "a", 0o600)); // transcripts are their owner's, in whatever folder; SQLite would ask the umask
  const database = openDatabase(file);
  const runs = localRuns(database);
  const workspace = localWorkspace(workspaces);
  const anyRun = database.db.prepare("SELECT 1 FROM runs LIMIT 1");
  async function removeWithoutRun(runId: string): Promise<void> {
    if ((await runs.read(runId)) === undefined) await workspace.removeAll(runId);
  }

  return {
    database,
    accounts: localAccounts(database),
    runs,
    workspace,
    async removeAbandoned(before) {
      const names = await readdir(workspaces);
      if (names.length > 0 && database.read(() => anyRun.get()) === undefined) {
        throw new Error(
          `${file} knows of no run, but ${workspaces} has files of some. They stay, for the case that the database is ` +
            "brought back; otherwise remove them",
        );
      }
      for (const name of names) {
        const found = await stat(join(workspaces, name)).catch(absent); // a create may be refused, a run deleted meanwhile
        if (!found || found.mtimeMs >= before) continue;
        if (isFlatName(name)) await removeWithoutRun(name);
        else if (name.startsWith(temporary)) await rm(join(workspaces, name), { force: true });
      }
    },
    close: () => database.close(),
  };
}
