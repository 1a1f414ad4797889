export type Semaphore = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** Runs at most `permits` pieces of work concurrently, in first-in, first-out order. */
export function semaphore(permits: number): Semaphore {
  let free = permits;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}
