import { randomUUID } from "node:crypto";
import { nextWork } from "../agent/turn/journal.ts";
import type { ResumeReason } from "../agent/turn/resume-reason.ts";
import type { TurnOutcome } from "../agent/turn/turn-types.ts";
import { pause } from "../async/backoff.ts";
import { log } from "../log.ts";
import { summaryOf } from "../runs/read/conversation.ts";
import { claimRun, keepLease } from "../runs/leases.ts";
import type { Runs } from "../runs/ports.ts";
import { isWorking } from "../runs/control/is-working.ts";
import {
  type ClaimedTurn,
  claimedTurn,
  failTurn,
  finishTurn,
  journalWriter,
  pauseTurn,
  type TurnId,
} from "../runs/turn-writes.ts";
import type { Claim, Lease, QueuedInput, RunState, Summary } from "../runs/run-types.ts";
import type { AdvanceResult } from "./payload.ts";
import { leaseWaitSeconds } from "./policy.ts";
import { asRetryLater, RetryLater } from "./retry-later.ts";
import { type AgentDeps, runAgent } from "./run-agent.ts";

export interface AdvanceDeps extends AgentDeps {
  runs: Runs;
  /** Called when a run of this organization has freed its slot. Absent: the sweep starts the next run. */
  onSlotFreed?: (organizationId: string) => Promise<unknown>;
}

/** Limits of one invocation. `deadline`: milliseconds since 1970; no step starts after it. */
export interface InvocationBudget {
  signal: AbortSignal;
  deadline: number;
  /** Seconds to wait for another worker's lease. Default: until the lease of a killed worker has expired. */
  leaseWait?: number;
  /** The turn was in progress when the last process of this service ended. */
  restarted?: boolean;
  /** That process was killed. Programs that ran beside it are not run again on their own. */
  killed?: boolean;
}

/** This process, in the journals of the turns that it resumes and in the owners of its leases. */
const instance = randomUUID();
/** Claims of this process. Each has an owner of its own. */
let claims = 0;

/**
 * Advances a run's turn step by step until the turn ends or the budget is used up.
 * - Idempotent: recorded steps are not repeated, and the lease admits one worker at a time.
 * - Advances a later turn when queued inputs have started one.
 * - Rejects with `RetryLater` after a retryable error, unless the invocation made progress: then it resolves with
 *   `done: false`, so that only attempts without progress count towards the retry policy.
 */
export async function advance(deps: AdvanceDeps, turn: TurnId, budget: InvocationBudget): Promise<AdvanceResult> {
  try {
    const { state, lease } = await claimOrWait(deps, turn, budget);
    if (!isStarted(state) || state.run.turn < turn.turn) {
      // The process that ended the turn may have been killed before it said so.
      if (state) await deps.kindOf?.(state.run)?.ended();
      return { done: true, turn: turn.turn };
    }
    if (!lease) return { done: false, turn: state.run.turn };
    return await advanceWithLease(deps, state, lease, budget);
  } catch (error) {
    throw asRetryLater(error);
  }
}

/** A waiting run is left to whatever gives it a slot or answers it: this execution belongs to what was before. */
function isStarted(state: RunState | undefined): state is RunState {
  return state !== undefined && isWorking(state.run);
}

/** Loads the run and claims its lease. Waits, within bounds, while another worker holds it. */
async function claimOrWait(deps: AdvanceDeps, { runId, turn }: TurnId, budget: InvocationBudget) {
  const { signal, leaseWait = leaseWaitSeconds } = budget;
  const owner = `${instance} ${++claims}`;
  for (let waited = 0; ; waited++) {
    const found = await claimRun(deps, runId, owner);
    const running = isStarted(found.state) && found.state.run.turn >= turn;
    if (found.lease || !running || waited >= leaseWait || signal.aborted) return found;
    await pause(1_000);
  }
}

async function advanceWithLease(
  deps: AdvanceDeps,
  state: RunState,
  lease: Lease & Pick<Claim, "takenOver">,
  { signal, deadline, restarted, killed }: InvocationBudget,
): Promise<AdvanceResult> {
  const { turn } = state.run;
  const claimed = claimedTurn(state.run, lease.fencingToken, deps.now);
  const heartbeat = keepLease(deps, lease, signal);
  const writeEntry = journalWriter(deps, claimed);
  let summary = summaryOf(state.journal);
  let progress = false;
  let leaseEnded = false;
  try {
    const reason = reasonToResume(state, { takenOver: lease.takenOver, restarted });
    if (reason && !(await writeEntry({ turn, part: "resumed", instance, reason, ...nextWork(state.journal) }))) {
      return { done: false, turn };
    }
    const outcome = await runAgent(deps, state, {
      signal: heartbeat.signal,
      deadline,
      ...(reason === "restart" && killed && { killed }),
      async record(entry) {
        const recorded = await writeEntry(entry);
        if (!recorded) heartbeat.lose(); // the model may have been called meanwhile
        if (entry.part !== "failed") progress ||= recorded;
        summary = summaryOf([entry]) ?? summary;
        return recorded;
      },
    });
    const settled = await settle(deps, claimed, { queue: state.queue, ...(summary && { summary }) }, outcome);
    ({ leaseEnded } = settled);
    const { quotaOf, organizationId } = state.run;
    if (settled.result.done) await deps.kindOf?.(state.run)?.ended();
    if (quotaOf && leaseEnded && settled.result.done) await deps.onSlotFreed?.(organizationId);
    return settled.result;
  } catch (error) {
    const retry = asRetryLater(error);
    if (progress && retry instanceof RetryLater) {
      if (retry.retryAfterMs === undefined) return { done: false, turn };
      retry.progress = true;
    }
    throw retry;
  } finally {
    heartbeat.end();
    // A lease that cannot be released expires.
    if (!leaseEnded) await deps.runs.release(lease).catch(() => {});
  }
}

/**
 * Why this process resumes the turn. Undefined: the turn begins here, or is continued as planned: after a pause, or after a
 * wait for a retry. A turn without entries may have waited for its first process, unless that had a lease.
 */
function reasonToResume(
  { journal }: RunState,
  { takenOver, restarted = false }: { takenOver: boolean; restarted?: boolean | undefined },
): ResumeReason | undefined {
  if (takenOver) return "lease_expired";
  if (!restarted || journal.length === 0) return undefined;
  return journal.some((entry) => entry.part === "resumed" && entry.instance === instance) ? undefined : "restart";
}

/** Writes the outcome of a turn to its run. The write that ends a turn also ends the lease. */
async function settle(
  deps: AdvanceDeps,
  claimed: ClaimedTurn,
  more: { queue: QueuedInput[]; summary?: Summary },
  outcome: TurnOutcome,
): Promise<{ result: AdvanceResult; leaseEnded: boolean }> {
  const { runId, turn } = claimed;
  switch (outcome.kind) {
    case "done": {
      const finished = await finishTurn(deps, claimed, { ...outcome, ...more });
      // The run was stopped or taken over. The next invocation reads its state.
      if (finished === "lost") return { result: { done: false, turn }, leaseEnded: false };
      log("info", "turn finished", { runId, turn, finishReason: outcome.finishReason });
      const result = finished === "finished" ? { done: true, turn } : { done: false, turn: finished.next };
      return { result, leaseEnded: true };
    }
    case "failed": {
      const failed = await failTurn(deps, claimed, outcome.failure, outcome.last);
      log("error", "turn failed", { runId, turn, failure: outcome.failure });
      return { result: { done: failed, turn }, leaseEnded: failed };
    }
    case "asks": {
      const paused = await pauseTurn(deps, claimed, outcome.calls);
      if (paused) log("info", "turn waits for answers", { runId, turn, calls: outcome.calls.length });
      return { result: { done: paused, turn }, leaseEnded: paused };
    }
    case "retry":
      throw new RetryLater(outcome.failure, outcome.retryAfterMs);
    case "paused":
    case "stopped":
      return { result: { done: false, turn }, leaseEnded: false };
  }
}
