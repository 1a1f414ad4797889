import { maxTimer } from "./backoff.ts";

/** Who wants a place, from the largest owner to the smallest: `[organization, agent]`. */
export type Owners = readonly string[];

/** Shares places among owners. */
export interface Scheduler {
  /**
   * Runs `work` when its owners get a place, which it holds until it settles. A wait ends with the signal's reason when
   * the signal aborts, and with `NoPlace` after the longest wait.
   */
  run<Value>(owners: Owners, work: () => Promise<Value>, signal?: AbortSignal): Promise<Value>;
}

export interface SchedulerOptions {
  /** Pieces of work at a time. */
  places: number;
  /** Default: waits without limit. */
  longestWait?: LongestWait;
}

/** `what` the places are for, in the plural, and the `remedy` for a wait that was too long, as a sentence. */
export interface LongestWait {
  seconds: number;
  what: string;
  remedy: string;
}

/** Work that did not start, because no place became free in time. The message says so, and what to do. */
export class NoPlace extends Error {
  override name = "NoPlace";
}

interface Waiting {
  owners: Owners;
  start: () => void;
}

/** What one owner holds and waits for, with its parts. */
interface Share {
  held: number;
  waits: number;
  /** Number of its arrival, or of the end of its last work. The lowest is next. */
  turn: number;
  parts: Map<string, Share>;
  /** Parts that wait and hold nothing, in turn. There can be any number of them. */
  idle: Set<Share>;
  /** Parts that wait and hold places: at most as many as there are places. */
  busy: Set<Share>;
  /** In order of arrival. Only of the smallest owners. */
  queue: Set<Waiting>;
}

/**
 * A scheduler in which no owner can keep others from working. The order of waiting work is:
 * - the organization that holds the fewest places; of equal ones, in turn;
 * - within it, by the same rule, its agent;
 * - of one agent, first in, first out.
 *
 * The last places are for owners that hold none. An organization that holds a place leaves one free, and an agent that
 * holds a place leaves one more: of n places, an organization gets at most n - 1 and one agent n - 2. So work of an
 * organization that has none in progress starts at once, unless others that had none took the last places. If nothing
 * else is in progress, work always starts: with one or two places, there is one piece of work of each organization at most.
 */
export function scheduler({ places, longestWait }: SchedulerOptions): Scheduler {
  let turns = 0;
  const root = newShare(turns);

  /** The shares of all `owners`, the whole first. Adds those that are missing. */
  function sharesOf(owners: Owners): Share[] {
    const shares = [root];
    let share = root;
    for (const owner of owners) {
      const part = share.parts.get(owner) ?? newShare(++turns);
      share.parts.set(owner, part);
      shares.push(part);
      share = part;
    }
    return shares;
  }

  /** The next work to start among those of `share`. `needed`: places that must be free for it. */
  function nextOf(share: Share, needed: number): Waiting | undefined {
    if (needed > places - root.held) return undefined;
    for (const first of share.queue) return first;
    for (const first of share.idle) return nextOf(first, needed);
    if (needed + 1 > places - root.held) return undefined;
    for (const part of [...share.busy].toSorted((a, b) => a.held - b.held || a.turn - b.turn)) {
      const next = nextOf(part, needed + 1);
      if (next) return next;
    }
    return undefined;
  }

  function startNext(): void {
    for (let next = nextOf(root, 1); next; next = nextOf(root, 1)) {
      const shares = sharesOf(next.owners);
      shares.at(-1)?.queue.delete(next);
      for (const share of shares) {
        share.waits--;
        share.held++;
      }
      arrange(shares, next.owners);
      next.start();
    }
  }

  function enterQueue(waiting: Waiting): void {
    const shares = sharesOf(waiting.owners);
    for (const share of shares) share.waits++;
    shares.at(-1)?.queue.add(waiting);
    arrange(shares, waiting.owners);
  }

  function leaveQueue(waiting: Waiting): void {
    const shares = sharesOf(waiting.owners);
    shares.at(-1)?.queue.delete(waiting);
    for (const share of shares) share.waits--;
    arrange(shares, waiting.owners);
  }

  function release(owners: Owners): void {
    const shares = sharesOf(owners);
    for (const share of shares) {
      share.held--;
      share.turn = ++turns; // lets others have their turn before
    }
    arrange(shares, owners);
    startNext();
  }

  function place(owners: Owners, signal: AbortSignal | undefined): Promise<void> {
    const granted = Promise.withResolvers<void>();
    let waits = true;
    const start = (): void => {
      waits = false;
      granted.resolve();
    };
    const waiting = { owners, start };
    enterQueue(waiting);
    startNext();
    if (!waits) return granted.promise;
    const giveUp = (reason: unknown): void => {
      if (waits) leaveQueue(waiting);
      granted.reject(reason);
    };
    const onAbort = (): void => giveUp(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer =
      longestWait &&
      setTimeout(() => giveUp(noPlace(places, longestWait)), Math.min(longestWait.seconds * 1_000, maxTimer));
    return granted.promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    });
  }

  return {
    async run(owners, work, signal) {
      signal?.throwIfAborted();
      await place(owners, signal);
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        release(owners);
      }
    },
  };
}

function newShare(turn: number): Share {
  return { held: 0, waits: 0, turn, parts: new Map(), idle: new Set(), busy: new Set(), queue: new Set() };
}

/** Puts each share where the one before looks for it, and forgets those that hold nothing and wait for nothing. */
function arrange(shares: Share[], owners: Owners): void {
  for (let index = 0; index < owners.length; index++) {
    const share = shares[index];
    const part = shares[index + 1];
    const owner = owners[index];
    if (!share || !part || owner === undefined) return;
    setMember(share.idle, part, part.waits > 0 && part.held === 0);
    setMember(share.busy, part, part.waits > 0 && part.held > 0);
    if (part.held === 0 && part.waits === 0) return void share.parts.delete(owner);
  }
}

/** A member that stays one keeps its turn. */
function setMember(set: Set<Share>, share: Share, isMember: boolean): void {
  if (isMember) set.add(share);
  else set.delete(share);
}

function noPlace(places: number, { seconds, what, remedy }: LongestWait): NoPlace {
  return new NoPlace(`None of the ${places} places for ${what} became free within ${seconds} seconds. ${remedy}`);
}
