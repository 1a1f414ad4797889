import type { Owners } from "../async/scheduler.ts";

/** How much each owner has open at a time, such as streams. Owners are named from the largest: `[organization, agent]`. */
export interface OpenCounts {
  /** Most that the smallest owner may have open. */
  readonly limit: number;
  /** Counts one more until it is disposed of. Undefined: that exceeds a limit. */
  open(owners: Owners): Disposable | undefined;
  /** Of one owner, of any size. */
  count(owner: string): number;
  /** The limit that one more would exceed. Undefined: none. */
  exceeded(owners: Owners): number | undefined;
}

/** Most that may be open. `each`: of the smallest owner. `larger`: of each larger one. `all`: of all together. */
export interface OpenLimits {
  each: number;
  larger?: number;
  all?: number;
}

/** Counts in the memory of this process. */
export function openCounts({ each, larger = Infinity, all = Infinity }: OpenLimits): OpenCounts {
  const counts = new Map<string, number>();
  let total = 0;
  const count = (owner: string): number => counts.get(owner) ?? 0;

  function add(owners: Owners, more: 1 | -1): void {
    total += more;
    for (const owner of owners) {
      const now = count(owner) + more;
      if (now > 0) counts.set(owner, now);
      else counts.delete(owner);
    }
  }

  function exceeded(owners: Owners): number | undefined {
    const limitOf = (index: number): number => (index === owners.length - 1 ? each : larger);
    const full = owners.findLastIndex((owner, index) => count(owner) >= limitOf(index));
    if (full >= 0) return limitOf(full);
    return total >= all ? all : undefined;
  }

  return {
    limit: each,
    count,
    exceeded,
    open(owners) {
      if (exceeded(owners) !== undefined) return undefined;
      add(owners, 1);
      let isOpen = true;
      return {
        [Symbol.dispose]() {
          if (isOpen) add(owners, -1);
          isOpen = false;
        },
      };
    },
  };
}
