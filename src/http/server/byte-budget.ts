import type { IncomingMessage } from "node:http";
import type { Owners } from "../../async/scheduler.ts";
import type { ApiRequest } from "../handler.ts";
import { apiKeyOf } from "../middleware.ts";

/** Counts bytes that a server holds for its clients, of all of them and of each. */
export interface ByteBudget {
  /** Counts bytes of an owner and its parents. The result is the limit that they would exceed; nothing is counted then. */
  take: (owners: Owners, bytes: number) => "all" | "each" | undefined;
  /** Bytes that are no longer held. */
  give: (owners: Owners, bytes: number) => void;
  /** Bytes that are held. */
  held: () => number;
}

/**
 * `all`: bytes of all owners together. `each`: bytes of one owner. An owner leaves at least as many bytes of its parent's free as it
 * holds: two that hold all they may, such as two keys of an agent, would leave nothing to others.
 */
export function byteBudget({ all, each }: { all: number; each: number }): ByteBudget {
  const held = new Map<string, number>();
  let total = 0;
  const of = (owner: string | undefined): number => (owner === undefined ? total : (held.get(owner) ?? 0));
  return {
    take(owners, bytes) {
      for (const [level, owner] of owners.entries()) {
        const own = of(owner) + bytes;
        if (own > each) return "each";
        const [parent, most] = level === 0 ? [total, all] : [of(owners[level - 1]), each];
        if (parent + bytes + own > most) return level === 0 ? "all" : "each";
      }
      for (const owner of owners) held.set(owner, of(owner) + bytes);
      total += bytes;
      return undefined;
    },
    give(owners, bytes) {
      for (const owner of owners) {
        const left = of(owner) - bytes;
        if (left > 0) held.set(owner, left);
        else held.delete(owner);
      }
      total -= bytes;
    },
    held: () => total,
  };
}

/** Whose bytes those of a request and its response are: its credential's, or its address's. */
export function ownerOf({ headers, socket }: IncomingMessage): string {
  return apiKeyOf(headers as ApiRequest["headers"]) ?? socket.remoteAddress ?? "";
}
