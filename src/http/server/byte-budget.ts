import type { IncomingMessage } from "node:http";
import type { ApiRequest } from "../handler.ts";
import { apiKeyOf } from "../middleware.ts";

/** Counts bytes that a server holds for its clients, of all of them and of each. */
export interface ByteBudget {
  /** Counts bytes of an owner. The result is the limit that they would exceed; nothing is counted then. */
  take: (owner: string, bytes: number) => "all" | "each" | undefined;
  /** Bytes that are no longer held. */
  give: (owner: string, bytes: number) => void;
  /** Bytes that are held. */
  held: () => number;
}

/**
 * `all`: bytes of all owners together. `each`: bytes of one owner. An owner leaves at least as many bytes free as it holds: two that
 * hold all they may, such as two keys of an agent, would leave nothing to others.
 */
export function byteBudget({ all, each }: { all: number; each: number }): ByteBudget {
  const owners = new Map<string, number>();
  let total = 0;
  return {
    take(owner, bytes) {
      const own = (owners.get(owner) ?? 0) + bytes;
      if (own > each) return "each";
      if (total + bytes + own > all) return "all";
      owners.set(owner, own);
      total += bytes;
      return undefined;
    },
    give(owner, bytes) {
      const left = (owners.get(owner) ?? 0) - bytes;
      if (left > 0) owners.set(owner, left);
      else owners.delete(owner);
      total -= bytes;
    },
    held: () => total,
  };
}

/** Whose bytes those of a request and its response are: its credential's, or its address's. */
export function ownerOf({ headers, socket }: IncomingMessage): string {
  return apiKeyOf(headers as ApiRequest["headers"]) ?? socket.remoteAddress ?? "";
}
