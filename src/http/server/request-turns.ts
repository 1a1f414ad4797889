/**
 * Requests that begin in one tick of the event loop. A poll takes 0.1 ms, a create 0.4 ms. Creates of a tick share one write to the
 * disk.
 */
const requestsPerTick = 16;

/**
 * Returns a function that says when a request may begin: now (undefined), or when its promise resolves. Those that wait begin in
 * turn by owner, so that a request of one waits for at most one of each other owner, however many connections those have.
 * `ownerOf` is called for those only.
 */
export function requestTurns(perTick = requestsPerTick): (ownerOf: () => string) => Promise<void> | undefined {
  const waiting = new Map<string, Set<() => void>>();
  let begun = 0;
  let isScheduled = false;

  function beginNext(): void {
    isScheduled = false;
    begun = 0;
    for (const [owner, queue] of waiting) {
      if (begun === perTick) break;
      waiting.delete(owner);
      for (const begin of queue) {
        queue.delete(begin);
        begun++;
        begin();
        break;
      }
      if (queue.size > 0) waiting.set(owner, queue); // at the end, where this loop also comes
    }
    if (begun > 0) schedule();
  }

  function schedule(): void {
    if (!isScheduled) setImmediate(beginNext);
    isScheduled = true;
  }

  return (ownerOf) => {
    schedule();
    if (waiting.size === 0 && begun < perTick) {
      begun++;
      return undefined;
    }
    const owner = ownerOf();
    const queue = waiting.get(owner) ?? new Set();
    waiting.set(owner, queue);
    return new Promise((begin) => void queue.add(begin));
  };
}
