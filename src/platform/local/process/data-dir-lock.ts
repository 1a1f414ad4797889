import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "../database/sqlite.ts";

// Time for the previous server to shut down when the service is restarted.
const waitMilliseconds = 3_000;

/**
 * Locks the data directory for one server: two servers would advance the same runs. The lock is SQLite's file lock, which
 * the operating system releases when the process ends.
 * - False: another server holds the lock for more than 3 s.
 * - Throws when the file cannot be locked.
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
      `${file}: ${(error as Error).message} (the file is empty: delete it if no server uses the directory)`,
      { cause: error },
    );
  }
}

/** Whether a server holds the lock of a data directory. */
export function isLocked(dataDir: string): boolean {
  const file = join(dataDir, "server.lock");
  if (!existsSync(file)) return false;
  const db = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    db.prepare("SELECT 1 FROM sqlite_schema").all();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    db.close();
  }
}

const held: DatabaseSync[] = []; // garbage collection would close the database and release the lock
