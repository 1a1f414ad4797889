import type { Claim, Lease, RunState } from "./run-types.ts";
import type { Uses } from "./ports.ts";

/** Duration of a lease. The run of a killed worker can be taken over after this time. */
const leaseMilliseconds = 45_000;
/** Time between renewals. A failed renewal is retried at every check. */
export const renewalMilliseconds = 16_000;
/** Time between a worker's lease checks: the longest time until it notices that the run was stopped. */
export const watchMilliseconds = 2_000;

/** After this delay a worker that lost its lease has stopped writing. */
export const drainMilliseconds = watchMilliseconds + 1_000;

/**
 * Loads a run and claims the lease on it. No lease: another owner holds it, or the run is not running. `takenOver`: see
 * `Claim`. Claim and read run in parallel, which saves a round trip. After a takeover the run is read again, because the first read may be stale.
 */
export async function claimRun(
  deps: Uses<"runs" | "now">,
  runId: string,
  owner: string,
): Promise<{ state: RunState | undefined; lease?: Lease & Pick<Claim, "takenOver"> }> {
  const { runs } = deps;
  const now = deps.now();
  const claiming = runs.claim({ runId, owner, now, until: now + leaseMilliseconds });
  const reading = runs.load(runId);
  reading.catch(() => {}); // awaited below, unless the claim fails
  const claim = await claiming;
  const lease = claim && { runId, fencingToken: claim.fencingToken, takenOver: claim.takenOver };
  try {
    const state = await reading;
    if (!lease) return { state };
    const current = !claim.takenOver && state?.run.status === "running" && state.run.turn === claim.turn;
    return { state: current ? state : await runs.load(runId), lease };
  } catch (error) {
    if (lease) await runs.release(lease).catch(() => {}); // it expires
    throw error;
  }
}

/** Claims the lease without loading the run. `turn`: the run's current turn. */
export async function claimOnly(
  deps: Uses<"runs" | "now">,
  runId: string,
  owner: string,
): Promise<(Lease & { turn: number }) | undefined> {
  const now = deps.now();
  const claim = await deps.runs.claim({ runId, owner, now, until: now + leaseMilliseconds });
  return claim && { runId, fencingToken: claim.fencingToken, turn: claim.turn };
}

/**
 * Renews a lease in the background until `end` is called. `signal` aborts with `parent`, when the lease is lost, and when
 * the run is no longer running. `lose` tells that a write was rejected for one of these reasons.
 */
export function keepLease(
  { runs, now }: Uses<"runs" | "now">,
  lease: Lease,
  parent: AbortSignal,
): { signal: AbortSignal; lose: () => void; end: () => void } {
  const lost = new AbortController();
  // Not AbortSignal.any: it costs a tenth of a short turn.
  const onAbort = (): void => lost.abort(parent.reason);
  if (parent.aborted) onAbort();
  else parent.addEventListener("abort", onAbort, { once: true });
  let busy = false;
  let sinceRenewal = 0;

  const lose = (): void => lost.abort(new Error("the run was stopped or taken over by another worker"));

  async function check(): Promise<void> {
    if (busy) return;
    busy = true;
    sinceRenewal += watchMilliseconds;
    try {
      const due = sinceRenewal >= renewalMilliseconds;
      const held = await (due ? runs.renew(lease, now() + leaseMilliseconds) : runs.holds(lease));
      if (due) sinceRenewal = 0;
      if (!held) lose();
    } catch {
      // The store is unavailable. The next check may succeed; until then the fencing token protects the run.
    } finally {
      busy = false;
    }
  }

  const timer = setInterval(() => void check(), watchMilliseconds);
  return {
    signal: lost.signal,
    lose,
    end() {
      clearInterval(timer);
      parent.removeEventListener("abort", onAbort);
    },
  };
}
