/** How much each owner has open at a time, such as streams. */
export interface OpenCounts {
  /** Most that one owner may have open. */
  readonly limit: number;
  /** Counts one more until it is disposed of. Undefined: that exceeds a limit. */
  open(owner: string): Disposable | undefined;
  count(owner: string): number;
  /** The limit that one more would exceed, of the owner or of all owners. Undefined: none. */
  exceeded(owner: string): number | undefined;
}

/** Counts in the memory of this process. `all`: most that all owners together may have open. */
export function openCounts(limit: number, all = Infinity): OpenCounts {
  const counts = new Map<string, number>();
  let total = 0;
  const count = (owner: string): number => counts.get(owner) ?? 0;

  function exceeded(owner: string): number | undefined {
    if (count(owner) >= limit) return limit;
    return total >= all ? all : undefined;
  }

  function close(owner: string): void {
    const left = count(owner) - 1;
    total--;
    if (left > 0) counts.set(owner, left);
    else counts.delete(owner);
  }

  return {
    limit,
    count,
    exceeded,
    open(owner) {
      if (exceeded(owner) !== undefined) return undefined;
      counts.set(owner, count(owner) + 1);
      total++;
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
