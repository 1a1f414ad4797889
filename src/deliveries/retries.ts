const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Milliseconds from each failed attempt to the next: those that Standard Webhooks suggests, about a day in all. */
const delays = [5 * second, minute, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 8 * hour, 8 * hour];

/** Share of a delay that is added at random, so that the retries after an outage do not come at once. */
const jitter = 0.2;

/** The longest time that a receiver can put an attempt off: a message is about a run that programs wait for. */
const longestWait = 24 * hour;

/**
 * When to try again after `attempts` failed attempts, the last one at `at` (milliseconds): not before the receiver's
 * `retryAfter` milliseconds, at most a day. Undefined: not any more.
 */
export function nextAttempt(attempts: number, at: number, retryAfter = 0): number | undefined {
  const delay = delays[attempts - 1];
  if (delay === undefined) return undefined;
  return Math.round(at + Math.max(delay, Math.min(retryAfter, longestWait)) * (1 + jitter * Math.random()));
}
