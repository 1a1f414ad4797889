import type { Claim, Lease, LeaseRequest } from "../../runs/types.ts";

/**
 * Who works on which run. Kept in memory: the lock on the data folder lets one server work at a time, and its leases
 * end with it. A claim then costs no write.
 */
export interface Leases {
  claim(request: LeaseRequest): Omit<Claim, "turn"> | undefined;
  renew(lease: Lease, until: number): boolean;
  isCurrent(lease: Lease): boolean;
  release(lease: Lease): void;
  /** Ends whatever lease there is on the run. */
  end(runId: string): void;
}

export function memoryLeases(): Leases {
  const held = new Map<string, { owner: string; token: number; until: number }>();
  let lastToken = 0;
  const isCurrent = ({ runId, fencingToken: token }: Lease): boolean => held.get(runId)?.token === token;

  return {
    isCurrent,

    claim({ runId, owner, now, until }) {
      const current = held.get(runId);
      const living = current && current.until > now && current.until < now + 2 * (until - now);
      if (living && current.owner !== owner) return undefined;
      const token = ++lastToken;
      held.set(runId, { owner, token, until });
      return { fencingToken: token, takenOver: current !== undefined };
    },

    renew(lease, until) {
      const current = held.get(lease.runId);
      if (current?.token !== lease.fencingToken) return false;
      current.until = until;
      return true;
    },

    release(lease) {
      if (isCurrent(lease)) held.delete(lease.runId);
    },

    end: (runId) => void held.delete(runId),
  };
}
