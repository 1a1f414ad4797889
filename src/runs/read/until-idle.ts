import { pause } from "../../async/backoff.ts";
import type { Run } from "../types.ts";

interface Wait {
  /** Reads the run. Rejects if the caller may not see it any more. */
  read: () => Promise<Run>;
  seconds: number;
  /** Milliseconds between two reads. */
  interval: number;
  signal: AbortSignal;
}

/** Resolves with the run when it has no turn in progress or waits for answers, when the time is over, or when the client has left. */
export async function untilIdle({ read, seconds, interval, signal }: Wait): Promise<Run> {
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const run = await read();
    const left = end - performance.now();
    if (run.status !== "running" || run.askedUntil !== undefined || left <= 0 || signal.aborted) return run;
    await pause(Math.min(interval, left), signal).catch(() => {});
  }
}
