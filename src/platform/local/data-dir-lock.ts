import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "./sqlite.ts";

// For a server that was told to end just now, as when one is started again.
const waitMilliseconds = 3_000;

/**
 * Holds the data folder for one server until the process ends, however it ends: the lock is SQLite's, and so the
 * operating system's. False when another server still holds it after 3 s; two servers would work on the same runs.
 * Throws an Error for a file that can't be locked.
 */
export function lockDataDir(dataDir: string): boolean {
  const file = join(dataDir, "server.lock");
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: waitMilliseconds });
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    held.push(db);
    return true;
  } catch (error) {
    db?.close();
    if (isBusy(error)) return false;
    throw new Error(
      `${file}: ${(error as Error).message} (it holds nothing: remove it when no server uses the folder)`,
      { cause: error },
    );
  }
}

const held: DatabaseSync[] = []; // a collected DatabaseSync would be closed, and its lock gone
