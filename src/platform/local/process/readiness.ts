import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { spaceProbe } from "../database/space-probe.ts";
import type { Database } from "../database/sqlite.ts";

/** Free bytes below which the disk counts as full: the files of a usual create do not fit. */
const minFreeBytes = 1024 * 1024;
/** Milliseconds between two probes of a database that refused a write. */
const betweenProbes = 1_000;

/**
 * Returns a function that resolves with why the data directory cannot take new runs now, as a sentence without its path, or with
 * undefined if it can. It asks the file system twice and reads one number of the database. A database that refused a write is
 * written to in the background, so that it counts as usable again when it is, even if nobody else writes.
 */
export function readiness(database: Database, dataDir: string): () => Promise<string | undefined> {
  const head = database.db.prepare("PRAGMA schema_version");
  const probeSpace = spaceProbe(database);
  let probedAt = -Infinity;

  return async () => {
    try {
      await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
      const { bavail, bsize } = await statfs(dataDir);
      if (bavail * bsize < minFreeBytes) return "The disk of the data directory is full.";
    } catch (error) {
      return `The data directory cannot be written (${(error as NodeJS.ErrnoException).code}).`;
    }
    try {
      database.read(() => head.get());
    } catch {
      return "The database cannot be read.";
    }
    if (!database.refusesWrites()) return undefined;
    const now = performance.now();
    if (now - probedAt > betweenProbes) {
      probedAt = now;
      probeSpace().catch(() => {}); // the next call sees whether it refuses still
    }
    return "The database rejected the last write: its disk is full, or another process keeps it locked.";
  };
}
