import { setImmediate } from "node:timers/promises";
import { semaphore } from "./semaphore.ts";

/**
 * Returns a function that runs pieces of synchronous work one per turn of the event loop, in the order of the calls. So
 * many callers with long work together delay other requests by one piece.
 */
export function tickByTick(): <Value>(work: () => Value) => Promise<Value> {
  const inTurn = semaphore(1);
  return (work) =>
    inTurn(async () => {
      const value = work();
      await setImmediate();
      return value;
    });
}
