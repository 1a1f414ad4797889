/** One body's part of the memory that all bodies share. */
export interface Share {
  /** Whether `bytes` more may be held, at once. */
  tryTake(bytes: number): boolean;
  /**
   * Resolves when `bytes` more may be held. Waits while they might leave no body enough to be completed; rejects with
   * `NoMemory` when that takes too long. One call at a time.
   */
  take(bytes: number): Promise<void>;
  /** Nothing more will be taken: the body is there. */
  complete(): void;
  /** Gives everything back. Harmless when repeated. */
  release(): void;
}

/** Memory for bodies that come in at the same time. */
export interface BodyBudget {
  /** `max`: bytes that this body may need in all; has to fit the budget. */
  open(max: number): Share;
  /** Bytes held now. */
  readonly held: number;
}

/** Other bodies held the memory for too long: the request is to be tried again later. */
export class NoMemory extends Error {
  override name = "NoMemory";
}

interface Holder {
  held: number;
  max: number;
  waiting?: { bytes: number; resolve: () => void; timer: NodeJS.Timeout };
}

/**
 * A semaphore on the bytes of bodies. A body is charged for what has arrived of it, not for what it announces, so that
 * slow senders cost little. Charging as bodies grow could end with many that are half there and none that can go on;
 * the banker's algorithm (Dijkstra, EWD 623) keeps to states from which every body can still be completed.
 */
export function bodyBudget(total: number, waitMilliseconds: number): BodyBudget {
  const holders = new Set<Holder>();
  const heldBytes = (): number => [...holders].reduce((sum, { held }) => sum + held, 0);

  function safe(): boolean {
    let free = total - heldBytes();
    if (free < 0) return false;
    for (const { held, max } of [...holders].toSorted((a, b) => a.max - a.held - (b.max - b.held))) {
      if (max - held > free) return false;
      free += held;
    }
    return true;
  }

  /** Charges the bytes if that is safe. */
  function tryCharge(holder: Holder, bytes: number): boolean {
    holder.held += bytes;
    if (safe()) return true;
    holder.held -= bytes;
    return false;
  }

  /** Lets those go on that can, longest wait first. */
  function wake(): void {
    for (const holder of holders) {
      const { waiting } = holder;
      if (!waiting || !tryCharge(holder, waiting.bytes)) continue;
      clearTimeout(waiting.timer);
      delete holder.waiting;
      waiting.resolve();
    }
  }

  return {
    get held() {
      return heldBytes();
    },
    open(max) {
      if (max > total) throw new Error(`a body of up to ${max} bytes does not fit a budget of ${total} bytes`);
      const holder: Holder = { held: 0, max };
      holders.add(holder);
      return {
        tryTake: (bytes) => holders.has(holder) && holder.held + bytes <= max && tryCharge(holder, bytes),
        take(bytes) {
          if (!holders.has(holder)) return Promise.reject(new Error("the share was released"));
          if (holder.held + bytes > max) return Promise.reject(new Error(`more than the announced ${max} bytes`));
          if (tryCharge(holder, bytes)) return Promise.resolve();
          return new Promise((resolve, reject) => {
            const giveUp = (): void => {
              delete holder.waiting;
              reject(new NoMemory(`no memory for a body within ${waitMilliseconds} ms`));
            };
            holder.waiting = { bytes, resolve, timer: setTimeout(giveUp, waitMilliseconds) };
          });
        },
        complete() {
          holder.max = holder.held;
          wake();
        },
        release() {
          if (holder.waiting) clearTimeout(holder.waiting.timer);
          if (holders.delete(holder)) wake();
        },
      };
    },
  };
}
