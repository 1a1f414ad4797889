let last: Promise<void> = Promise.resolve();

/**
 * Resolves in an iteration of the event loop that no other caller gets. Call it before each piece of work that takes
 * tens of milliseconds: other requests are then handled between two pieces, whichever requests the pieces belong to.
 */
export function ownIteration(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
