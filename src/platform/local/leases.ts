import type { Claim, Lease, LeaseRequest } from "../../runs/run-types.ts";

/**
 * Leases of one server, in memory, so that a claim costs no write. The lock of the data directory allows one server, and
 * its leases end with it.
 */
export interface Leases {
  claim(request: LeaseRequest): Omit<Claim, "turn"> | undefined;
  renew(lease: Lease, until: number): boolean;
  isCurrent(lease: Lease): boolean;
  release(lease: Lease): void;
  /** Ends the lease on the run, if any. */
  end(runId: string): void;
}

export function memoryLeases(): Leases {
  const held = new Map<string, { owner: string; fencingToken: number; until: number }>();
  let lastToken = 0;
  const isCurrent = ({ runId, fencingToken }: Lease): boolean => held.get(runId)?.fencingToken === fencingToken;

  return {
    isCurrent,

    claim({ runId, owner, now, until }) {
      const current = held.get(runId);
      const valid = current && current.until > now && current.until < now + 2 * (until - now);
      if (valid && current.owner !== owner) return undefined;
      const fencingToken = ++lastToken;
      held.set(runId, { owner, fencingToken, until });
      return { fencingToken, takenOver: current !== undefined && current.owner !== owner };
    },

    renew(lease, until) {
      const current = held.get(lease.runId);
      if (current?.fencingToken !== lease.fencingToken) return false;
      current.until = until;
      return true;
    },

    release(lease) {
      if (isCurrent(lease)) held.delete(lease.runId);
    },

    end: (runId) => void held.delete(runId),
  };
}
