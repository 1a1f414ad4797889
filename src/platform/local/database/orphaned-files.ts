import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isFlatName } from "../../../filenames.ts";
import type { Uses } from "../../../runs/ports.ts";
import type { Database } from "./sqlite.ts";
import { absent, temporary } from "../workspace.ts";

/**
 * Removes what creates left behind when the process was killed: workspaces without a run and temporary files.
 * - Keeps those modified after `before` (milliseconds since 1970): they may be in use.
 * - `root`: the directory of the workspaces.
 * - Rejects and removes nothing when the database has no run at all: then the database is missing.
 */
export async function removeOrphanedFiles(
  { database, runs, workspace, root }: Uses<"runs" | "workspace"> & { database: Database; root: string },
  before: number,
): Promise<void> {
  const names = await readdir(root);
  const anyRun = database.db.prepare("SELECT 1 FROM runs LIMIT 1");
  if (names.length > 0 && database.read(() => anyRun.get()) === undefined) {
    throw new Error(
      `${String(database.db.location())} contains no runs, but ${root} contains files of runs. They are kept in case ` +
        "the database is restored; remove them otherwise",
    );
  }
  for (const name of names) {
    const path = join(root, name);
    const found = await stat(path).catch(absent); // may be deleted meanwhile
    if (!found || found.mtimeMs >= before) continue;
    if (name.startsWith(temporary)) await rm(path, { force: true });
    else if (isFlatName(name) && (await runs.status(name)) === undefined) await workspace.removeAll(name);
  }
}
