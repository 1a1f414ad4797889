import { signal } from "@preact/signals";

/** Whether the service responds. Times are milliseconds since 1970. */
export type Connection =
  | { state: "live" }
  | { state: "reconnecting"; attempt: number; nextAt: number; since: number }
  | { state: "offline"; since: number };

export const connection = signal<Connection>({ state: "live" });

/**
 * After this time without a response the service counts as offline. Attempts continue. A time, because each poll and stream
 * of a page counts its own attempts.
 */
const offlineAfterMs = 15_000;
const longestWaitMs = 30_000;

/** Records a response. */
export function reached(): void {
  if (connection.value.state !== "live") connection.value = { state: "live" };
}

/** Records a request without a response. Returns the milliseconds until the next attempt. */
export function unreached(attempt: number, retryMs: number): number {
  const now = Date.now();
  const { value } = connection;
  const since = value.state === "live" ? now : value.since;
  const wait = Math.min(retryMs * 2 ** (attempt - 1), longestWaitMs) * (0.75 + Math.random() / 2);
  connection.value =
    now - since >= offlineAfterMs
      ? { state: "offline", since }
      : { state: "reconnecting", attempt, nextAt: now + wait, since };
  return wait;
}

/** Ends the current wait of all polls and streams: the operator asked for it, the network is back, or the page became visible. */
export const retryNow = signal(0);
