/** How much each owner has open at a time, such as streams. */
export interface OpenCounts {
  /** Most that one owner may have open. */
  readonly limit: number;
  /** Counts one more until it is disposed of. Undefined: the owner has reached the limit. */
  open(owner: string): Disposable | undefined;
  count(owner: string): number;
}

/** Counts in the memory of this process. */
export function openCounts(limit: number): OpenCounts {
  const counts = new Map<string, number>();
  const count = (owner: string): number => counts.get(owner) ?? 0;

  function close(owner: string): void {
    const left = count(owner) - 1;
    if (left > 0) counts.set(owner, left);
    else counts.delete(owner);
  }

  return {
    limit,
    count,
    open(owner) {
      if (count(owner) >= limit) return undefined;
      counts.set(owner, count(owner) + 1);
      let isOpen = true;
      return {
        [Symbol.dispose]() {
          if (isOpen) close(owner);
          isOpen = false;
        },
      };
    },
  };
}
