import { maxTimer } from "./backoff.ts";

export type TimedResult<Value> = { timedOut: false; value: Value } | { timedOut: true };

/**
 * Runs `work` with a time limit. Does not wait for work that ignores its signal.
 * - On timeout, it aborts the signal of `work` and resolves with `timedOut`.
 * - When `signal` aborts, it aborts the signal of `work` and rejects with the reason.
 */
export async function withTimeout<Value>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<TimedResult<Value>> {
  signal.throwIfAborted();
  if (milliseconds <= 0) return { timedOut: true };
  const workAbort = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<TimedResult<Value>>();
  // Settles before it aborts the work, whose AbortError then changes nothing.
  const onAbort = () => {
    reject(signal.reason);
    workAbort.abort(signal.reason);
  };
  const onTime = () => {
    resolve({ timedOut: true });
    workAbort.abort(new Error("time limit exceeded"));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  // Node's timers can fire up to 1 ms early.
  const timer = setTimeout(onTime, Math.min(Math.ceil(milliseconds) + 1, maxTimer));
  try {
    work(workAbort.signal).then((value) => resolve({ timedOut: false, value }), reject);
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
