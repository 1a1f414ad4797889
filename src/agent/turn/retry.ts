import { fullJitter, pause } from "../../async/backoff.ts";
import type { ModelFailure } from "../model.ts";

/** How long to wait before call `attempt` + 1, in milliseconds: full jitter, and no less than the provider asked for. */
export function delayAfter(attempt: number, retryAfter = 0): number {
  return Math.max(retryAfter, fullJitter(attempt, { first: 500, max: 8_000 }));
}

/**
 * Makes the same call again while its failure may pass by waiting and the waits, taken together, stay within
 * `patience` milliseconds. The last outcome otherwise. Rejects with the signal's reason when it aborts in between.
 */
export async function withRetries<Answered extends object>(
  call: () => Promise<Answered | ModelFailure | "timed-out">,
  { patience, signal, onWait }: { patience: number; signal: AbortSignal; onWait: (milliseconds: number) => void },
): Promise<Answered | ModelFailure | "timed-out"> {
  let left = patience;
  for (let attempt = 1; ; attempt++) {
    const outcome = await call();
    if (outcome === "timed-out" || !("failure" in outcome) || !outcome.failure.retryable) return outcome;
    const wait = delayAfter(attempt, outcome.retryAfterMs);
    left -= Math.max(wait, 1); // so that a number of immediate attempts is bounded, too
    if (left < 0) return outcome;
    onWait(wait);
    await pause(wait, signal);
  }
}
