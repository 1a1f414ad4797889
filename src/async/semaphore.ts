export type Semaphore = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** Runs at most `places` pieces of work at the same time, in the order they came. */
export function semaphore(places: number): Semaphore {
  let free = places;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
