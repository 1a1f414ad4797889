import { pause } from "../../async/backoff.ts";
import type { Runs } from "../ports.ts";
import type { Run } from "../types.ts";

/** Looks at runs that the watches of a run share: they look at the same moments, and the first one reads. */
export interface SharedLooks {
  /** The run, as of a moment later than `after`, which is a value of `performance.now()`. */
  head: (runId: string, after: number) => Promise<Run | undefined>;
  /** Resolves at the next moment of a run, which has one every `interval` milliseconds, or when `signal` aborts. */
  next: (runId: string, interval: number, signal: AbortSignal) => Promise<void>;
}

/** Looks with the reads of `runs`. A watch gets no read that began before its last one ended: runs never go back in time. */
export function sharedLooks(runs: Pick<Runs, "head">): SharedLooks {
  const reads = new Map<string, { begunAt: number; head: Promise<Run | undefined> }>();

  return {
    head(runId, after) {
      const inProgress = reads.get(runId);
      if (inProgress && inProgress.begunAt > after) return inProgress.head;
      const begunAt = performance.now();
      const head = runs.head(runId).finally(() => {
        if (reads.get(runId)?.begunAt === begunAt) reads.delete(runId);
      });
      reads.set(runId, { begunAt, head });
      return head;
    },

    next: (runId, interval, signal) => {
      const sinceLast = (performance.now() + offsetOf(runId)) % interval;
      return pause(interval - sinceLast, signal).catch(() => {});
    },
  };
}

/** Spreads the moments of runs: reads of all runs at once would delay each other. Ids are random hexadecimal digits. */
function offsetOf(runId: string): number {
  return Number.parseInt(runId.slice(0, 4), 16) || 0;
}
