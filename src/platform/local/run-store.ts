import { setImmediate as endOfTick } from "node:timers/promises";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import type { CreateExtras, Runs } from "../../runs/ports.ts";
import type { Run, RunState, Stamped, TurnMessage } from "../../runs/run-types.ts";
import { memoryLeases } from "./leases.ts";
import { localRunEvents } from "./run-events.ts";
import { localRunReads } from "./run-reads.ts";
import { localRunWrites } from "./run-writes.ts";
import { tuples } from "./database/query.ts";
import { spaceProbe } from "./database/space-probe.ts";
import type { Database } from "./database/sqlite.ts";

/** Runs in the database, leases in memory. `forget`: see `localRunWrites`. */
export function localRuns(database: Database, forget: (runId: string) => Promise<void>): Runs {
  const { passedOn } = database;
  const leases = memoryLeases();
  const reads = localRunReads(database);
  const writes = localRunWrites(database, (lease) => leases.isCurrent(lease), forget);

  // Runs with a change of status that is queued, usually for the commit at the end of this tick. A poll waits for that, which
  // saves its client the next one.
  const changing = new Set<string>();
  // The turn of a new run begins in the tick of its create: what it reads has just been written.
  const created = passedOn<RunState>();

  return {
    ...reads,
    ...localRunEvents(database),
    ...writes,

    async create(run, messages, more = {}) {
      const outcome = await writes.create(run, messages, more);
      const isUnchanged = outcome === "created" && !changing.has(run.id);
      if (isUnchanged && isPlain(run, more)) created.set(run.id, stateOf(run, messages, more.uploads));
      return outcome;
    },

    load: async (id) => created.get(id) ?? (await reads.load(id)),

    async open(id, reader) {
      const found = await reads.open(id, reader);
      if (!found || !changing.has(id)) return found;
      await endOfTick();
      return await reads.open(id, reader);
    },

    async change(change) {
      const { runId, fencingToken, set } = change;
      if (!set) return await writes.change(change);
      changing.add(runId);
      try {
        const applied = await writes.change(change);
        if (!applied) return false;
        if (fencingToken === undefined) leases.end(runId);
        else leases.release({ runId, fencingToken });
        return true;
      } finally {
        changing.delete(runId);
      }
    },

    ...leasesOfRuns(database, leases, created),
  };
}

/** `created`: runs of this tick, whose rows need not be read. */
function leasesOfRuns(
  database: Database,
  leases: ReturnType<typeof memoryLeases>,
  created: { get(id: string): RunState | undefined },
): Pick<Runs, "claim" | "renew" | "holds" | "release"> {
  const { db, read, refusesWrites } = database;
  const probeSpace = spaceProbe(database);
  const isRunning = tuples<[turn: number]>(
    db,
    "SELECT turn FROM runs WHERE id = ? AND status = 'running' AND waiting IS NOT 1 AND asked_until IS NULL",
  );

  return {
    async claim(request) {
      // A worker that claims is about to pay for an answer of a model, which must fit on the disk.
      if (refusesWrites()) await probeSpace();
      const { runId } = request;
      const turn = created.get(runId)?.run.turn ?? read(() => isRunning.get(runId))?.[0];
      if (turn === undefined) return undefined;
      const claim = leases.claim(request);
      return claim && { ...claim, turn };
    },
    renew: async (lease, until) => read(() => isRunning.get(lease.runId)) !== undefined && leases.renew(lease, until),
    holds: async (lease) => leases.isCurrent(lease) && read(() => isRunning.get(lease.runId)) !== undefined,
    release: async (lease) => leases.release(lease),
  };
}

/** Whether `load` would read what `stateOf` returns: a running run without slot, journal and summary. */
function isPlain({ status }: Run, { slot, entries, summary }: CreateExtras): boolean {
  return status === "running" && !slot && !entries && !summary;
}

/** What `load` reads of a run that has just been created. */
function stateOf(run: Run, messages: Stamped<TurnMessage>[], uploads: FileVersion[] = []): RunState {
  const agentVersion = messages.at(-1)?.agentVersion;
  return {
    run,
    transcript: messages.map(({ role, text }) => ({ role, text })),
    journal: [],
    queue: [],
    ...(agentVersion !== undefined && { agentVersion }),
    ...(uploads.length > 0 && { uploads }),
  };
}
