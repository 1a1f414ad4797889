import type { Runs } from "../../runs/ports.ts";
import { memoryLeases } from "./leases.ts";
import { localRunEvents } from "./run-events.ts";
import { localRunReads } from "./run-reads.ts";
import { localRunWrites } from "./run-writes.ts";
import { tuples } from "./database/query.ts";
import type { Database } from "./database/sqlite.ts";

/** Runs in the database, leases in memory. `forget`: see `localRunWrites`. */
export function localRuns(database: Database, forget: (runId: string) => Promise<void>): Runs {
  const { db, read, write, refusesWrites } = database;
  const leases = memoryLeases();
  const writes = localRunWrites(database, (lease) => leases.isCurrent(lease), forget);
  const isRunning = tuples<[turn: number]>(
    db,
    "SELECT turn FROM runs WHERE id = ? AND status = 'running' AND waiting IS NOT 1 AND asked_until IS NULL",
  );
  const putProbe = db.prepare("INSERT OR REPLACE INTO summaries (run, through_turn, text) VALUES (-1, 0, ?)");
  const dropProbe = db.prepare("DELETE FROM summaries WHERE run = -1");

  /** Probes for 64 KiB of free space: a long answer of a model. */
  function probeDiskSpace(): void {
    putProbe.run("0".repeat(65_536));
    dropProbe.run();
  }

  return {
    ...localRunReads(database),
    ...localRunEvents(database),
    ...writes,

    async change(change) {
      const applied = await writes.change(change);
      const { runId, fencingToken, set } = change;
      if (applied && set) {
        if (fencingToken === undefined) leases.end(runId);
        else leases.release({ runId, fencingToken });
      }
      return applied;
    },

    async claim(request) {
      // A worker that claims is about to pay for an answer of a model, which must fit on the disk.
      if (refusesWrites()) await write(probeDiskSpace);
      const found = read(() => isRunning.get(request.runId));
      const claim = found && leases.claim(request);
      return claim && { ...claim, turn: found[0] };
    },
    renew: async (lease, until) => read(() => isRunning.get(lease.runId)) !== undefined && leases.renew(lease, until),
    holds: async (lease) => leases.isCurrent(lease) && read(() => isRunning.get(lease.runId)) !== undefined,
    release: async (lease) => leases.release(lease),
  };
}
