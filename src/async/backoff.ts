/** Milliseconds. `setTimeout` fires immediately for longer delays. */
export const maxTimer = 2 ** 31 - 1;

/** Exponential back-off in milliseconds: the delay after attempt n is min(first × rate^(n − 1), max). Default rate: 2. */
export interface BackoffOptions {
  first: number;
  max?: number;
  rate?: number;
}

/** The delay after attempt `attempt` (from 1) with full jitter: uniform between 0 and the back-off delay. */
export function fullJitter(
  attempt: number,
  { first, max = Number.POSITIVE_INFINITY, rate = 2 }: BackoffOptions,
): number {
  return Math.random() * Math.min(first * rate ** (attempt - 1), max);
}

/**
 * Resolves after `milliseconds`, 24.8 days at most. Rejects with the signal's reason when it aborts, which
 * `node:timers/promises` wraps in an AbortError.
 */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const onTime = () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    const timer = setTimeout(onTime, Math.min(milliseconds, maxTimer));
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
