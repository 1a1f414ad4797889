import { pause } from "../../async/backoff.ts";
import type { Run } from "../run-types.ts";

interface Wait {
  /** Reads the run. Rejects if the caller may not see it any more. */
  read: () => Promise<Run>;
  seconds: number;
  /** Milliseconds between two reads. */
  interval: number;
  signal: AbortSignal;
}

/**
 * Seconds for a run that already waits for answers: programs that repeat the request while the status is `running` would
 * otherwise send it without a pause.
 */
const askedSeconds = 1;

/**
 * Resolves with the run when it has no turn in progress or begins to wait for answers, when the time is over, or when the
 * client has left. A run that waits already has a second to change.
 */
export async function untilIdle({ read, seconds, interval, signal }: Wait): Promise<Run> {
  const startedAt = performance.now();
  let run = await read();
  const before = run.askedUntil === undefined ? undefined : run.sequence;
  const end = startedAt + (before === undefined ? seconds : Math.min(seconds, askedSeconds)) * 1_000;
  for (;;) {
    const left = end - performance.now();
    const asks = run.askedUntil !== undefined && run.sequence !== before;
    if (run.status !== "running" || asks || left <= 0 || signal.aborted) return run;
    await pause(Math.min(interval, left), signal).catch(() => {});
    run = await read();
  }
}
