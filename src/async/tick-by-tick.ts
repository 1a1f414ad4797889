import { setImmediate } from "node:timers/promises";
import { type Owners, scheduler } from "./scheduler.ts";

/** Runs a piece of synchronous work of its owners when it is their turn. */
export type TickByTick = <Value>(owners: Owners, work: () => Value) => Promise<Value>;

/**
 * Returns a function that runs pieces of synchronous work one per turn of the event loop, in turn by owner. So many
 * callers with long work together delay other requests by one piece, and another owner's work by one piece of each.
 */
export function tickByTick(): TickByTick {
  const places = scheduler({ places: 1 });
  return (owners, work) =>
    places.run(owners, async () => {
      const value = work();
      await setImmediate();
      return value;
    });
}
