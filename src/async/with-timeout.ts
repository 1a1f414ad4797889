import { maxTimer } from "./backoff.ts";

/**
 * What `work` resolves to, waited for no longer than `milliseconds`. Rejects with the signal's reason as soon as it
 * aborts. In both cases the signal that `work` got aborts, and work that ignores it is left behind.
 */
export async function withTimeout<Value>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | "timed-out"> {
  signal.throwIfAborted();
  if (milliseconds <= 0) return "timed-out";
  const cut = new AbortController();
  const ended = Promise.withResolvers<"timed-out">();
  // Settled before the work hears of it, so that its own rejection comes second.
  const onAbort = () => {
    ended.reject(signal.reason);
    cut.abort(signal.reason);
  };
  const onTime = () => {
    ended.resolve("timed-out");
    cut.abort(new Error("the turn's time is used up"));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  // A timer may fire up to a millisecond early by the clock.
  const timer = setTimeout(onTime, Math.min(Math.ceil(milliseconds) + 1, maxTimer));
  try {
    return await Promise.race([ended.promise, work(cut.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
