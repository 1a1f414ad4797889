import type { Lease, Runs, RunState } from "./ports.ts";

/** A killed worker's run can be taken over after this time. */
const leaseMilliseconds = 45_000;
/** A renewal that failed is tried again at each look. */
export const renewalMilliseconds = 16_000;
/** Between a worker's looks at its run: how soon at the latest it notices that the run was stopped. */
export const watchMilliseconds = 2_000;

/** After so long, what a worker on another machine writes without the lease has been written, too. */
export const workersGoneMilliseconds = watchMilliseconds + 1_000;

interface Deps {
  runs: Runs;
  now: () => number;
}

/**
 * A run's state, and the lease on it unless another owner has it or the run is not running. Claim and read go out
 * together, which is one round trip; only after a worker that did not end in order the state is read once more.
 */
export async function claimRun(
  deps: Deps,
  runId: string,
  owner: string,
): Promise<{ state: RunState | undefined; lease?: Lease }> {
  const { runs } = deps;
  const now = deps.now();
  const [claimed, read] = await Promise.allSettled([
    runs.claim({ runId, owner, now, until: now + leaseMilliseconds }),
    runs.load(runId),
  ]);
  if (claimed.status === "rejected") throw claimed.reason;
  const claim = claimed.value;
  const lease = claim && { runId, fencingToken: claim.fencingToken };
  try {
    if (read.status === "rejected") throw read.reason;
    const state = read.value;
    if (!lease) return { state };
    const current = !claim.takenOver && state?.run.status === "running" && state.run.turn === claim.turn;
    return { state: current ? state : await runs.load(runId), lease };
  } catch (error) {
    if (lease) await runs.release(lease).catch(() => {}); // it ends by itself
    throw error;
  }
}

/** Claims the lease without loading the run. `turn`: the run's current turn. */
export async function claimOnly(
  deps: Deps,
  runId: string,
  owner: string,
): Promise<(Lease & { turn: number }) | undefined> {
  const now = deps.now();
  const claim = await deps.runs.claim({ runId, owner, now, until: now + leaseMilliseconds });
  return claim && { runId, fencingToken: claim.fencingToken, turn: claim.turn };
}

/**
 * Renews a lease in the background until `end` is called. `signal` aborts with the one that is given, and when the lease
 * is lost or the run is not running any more.
 */
export function keepLease(
  { runs, now }: Deps,
  lease: Lease,
  given: AbortSignal,
): { signal: AbortSignal; end: () => void } {
  const lost = new AbortController();
  // Not AbortSignal.any: it costs a tenth of a short turn.
  const onAbort = (): void => lost.abort(given.reason);
  if (given.aborted) onAbort();
  else given.addEventListener("abort", onAbort, { once: true });
  let busy = false;
  let sinceRenewal = 0;

  async function look(): Promise<void> {
    if (busy) return;
    busy = true;
    sinceRenewal += watchMilliseconds;
    try {
      const due = sinceRenewal >= renewalMilliseconds;
      const held = await (due ? runs.renew(lease, now() + leaseMilliseconds) : runs.holds(lease));
      if (due) sinceRenewal = 0;
      if (!held) lost.abort(new Error("the run was stopped, or another worker has taken it over"));
    } catch {
      // The store is out of reach: the next look may get through, and the token protects the run until then.
    } finally {
      busy = false;
    }
  }

  const timer = setInterval(() => void look(), watchMilliseconds);
  return {
    signal: lost.signal,
    end() {
      clearInterval(timer);
      given.removeEventListener("abort", onAbort);
    },
  };
}
