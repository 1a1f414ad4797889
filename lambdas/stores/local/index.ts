import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Stores } from "../../runs/ports.ts";
import { localAccounts } from "./accounts.ts";
import { type Database, openDatabase } from "./database.ts";
import { localRuns } from "./runs.ts";
import { localWorkspace } from "./workspace.ts";

/** The stores of one machine: a SQLite file and a folder of workspaces below `dataDir`, made when missing. */
export function openLocalStores({ dataDir }: { dataDir: string }): Stores & { database: Database; close(): void } {
  const workspaces = join(dataDir, "workspaces");
  mkdirSync(workspaces, { recursive: true, mode: 0o700 });
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  const database = openDatabase(join(dataDir, "runs.sqlite"));
  return {
    database,
    accounts: localAccounts(database),
    runs: localRuns(database),
    workspace: localWorkspace(workspaces),
    close: () => database.close(),
  };
}
