/** Milliseconds; setTimeout fires at once for anything longer. */
export const maxTimer = 2 ** 31 - 1;

/** How delays grow, in milliseconds: the one after attempt n is min(first × rate^(n − 1), max). `rate`: 2. */
export interface BackoffOptions {
  first: number;
  max?: number;
  rate?: number;
}

/** Milliseconds to wait after attempt `attempt`, the first being 1: with full jitter, from none to the whole delay. */
export function fullJitter(
  attempt: number,
  { first, max = Number.POSITIVE_INFINITY, rate = 2 }: BackoffOptions,
): number {
  return Math.random() * Math.min(first * rate ** (attempt - 1), max);
}

/** Resolves after a time, 24.8 days at most. Rejects with the signal's reason as soon as it aborts. */
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
