import { isUnreached } from "./client.ts";
import { reached, retryNow, unreached } from "./connection.ts";

/** Resolves after `ms`, when the operator retries, or when `signal` is aborted. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stopWatching();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    let first = true;
    const stopWatching = retryNow.subscribe(() => {
      if (!first) end();
      first = false;
    });
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/**
 * Calls `read` now and then every `intervalMs` while the page is visible, or `isWanted` says so, until `signal` is aborted. Waits longer while
 * the service does not respond. Errors of the API end the wait for the next call only.
 */
export async function poll(
  intervalMs: number | (() => number),
  signal: AbortSignal,
  read: () => Promise<void>,
  isWanted: () => boolean = () => false,
): Promise<void> {
  let attempt = 0;
  while (!signal.aborted) {
    let ms = typeof intervalMs === "number" ? intervalMs : intervalMs();
    if (document.visibilityState === "visible" || isWanted()) {
      try {
        await read();
        attempt = 0;
        reached();
      } catch (error) {
        if (signal.aborted) return;
        if (isUnreached(error)) ms = unreached(++attempt, 1_000);
        else reached();
      }
    }
    await wait(ms, signal);
  }
}
