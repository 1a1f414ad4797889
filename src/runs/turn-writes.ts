import { noUsage, addUsage, type Usage } from "../agent/turn/limits.ts";
import type { Failure } from "../agent/model.ts";
import { type AnswerEntry, usageOfEntry } from "../agent/turn/journal.ts";
import { fullJitter, pause } from "../async/backoff.ts";
import { StoreUnavailable } from "../errors.ts";
import { transitions } from "./status.ts";
import type { QueuedInput, RunChange, RunJournalEntry } from "./types.ts";
import type { Runs, Workflow } from "./ports.ts";

/** Identifies a turn. The payload of the workflow. */
export interface TurnId {
  runId: string;
  turn: number;
}

/** A turn and the worker's lease on it. `startedAt`: when its input was accepted, in milliseconds since 1970. */
export interface ClaimedTurn extends TurnId {
  fencingToken: number;
  startedAt: number;
}

interface Deps {
  runs: Runs;
  now: () => number;
}

/** Starts a turn. A turn that cannot be started is ended with `technical_error`; the error is thrown. */
export async function startTurn(deps: Deps & { workflow: Workflow }, runId: string, turn: number): Promise<void> {
  try {
    await deps.workflow.start(runId, turn);
  } catch (error) {
    await failTurn(deps, { runId, turn }, notStarted);
    throw error;
  }
}

/**
 * Ends a turn: writes its last step, its output and `finished` in one change. With a queued input, that change starts
 * the next turn instead of `finished`.
 * - `next`: the turn that was started.
 * - `lost`: nothing was written. The run is no longer in this turn (stopped, or ended by another worker).
 */
export async function finishTurn(
  { runs, now }: Deps,
  { runId, turn, fencingToken, startedAt }: ClaimedTurn,
  { text, last, queue }: { text: string; last: AnswerEntry; queue: QueuedInput[] },
): Promise<"finished" | "lost" | { next: number }> {
  // Repeats when an input is queued between the read and the write.
  for (let waiting = queue; ;) {
    const [next] = waiting;
    const updatedAt = now();
    const { from, to } = next ? transitions.nextInputAccepted : transitions.turnFinished;
    const change: RunChange = {
      runId,
      expect: { status: from, turn, queued: waiting.length },
      fencingToken,
      set: { status: to, turn: next?.turn ?? turn, updatedAt },
      messages: [{ turn, role: "output_from_agent", text }],
      entries: [{ turn, ...last }],
      used: addUsage(usageOfEntry(last) ?? noUsage, wallClock(updatedAt - startedAt)),
    };
    if (next) {
      change.messages?.push({ turn: next.turn, role: "input_to_agent", text: next.text });
      change.queue = { take: next.turn };
    }
    if (await changeWithRetries(runs, change)) return next ? { next: next.turn } : "finished";
    const state = await runs.load(runId);
    const same = state?.run.status === from && state.run.turn === turn;
    if (!same || state.queue.length === waiting.length) return "lost";
    waiting = state.queue;
  }
}

/**
 * Ends a turn with `technical_error` and drops the queued inputs. `last`: the answer that caused the failure; its
 * usage counts. False: nothing was written, as `lost` above.
 */
export function failTurn(
  deps: Deps,
  { runId, turn, fencingToken, startedAt }: TurnId & Partial<ClaimedTurn>,
  failure: Failure,
  last?: AnswerEntry,
): Promise<boolean> {
  const { from, to } = transitions.turnFailed;
  const updatedAt = deps.now();
  const used = addUsage(
    (last && usageOfEntry(last)) ?? noUsage,
    startedAt === undefined ? noUsage : wallClock(updatedAt - startedAt),
  );
  const change: RunChange = {
    runId,
    expect: { status: from, turn },
    ...(fencingToken !== undefined && { fencingToken }),
    set: { status: to, turn, updatedAt, failure },
    ...(last && { entries: [{ turn, ...last }] }),
    ...((last || startedAt !== undefined) && { used }),
    queue: "drop",
  };
  return last ? changeWithRetries(deps.runs, change) : deps.runs.change(change);
}

/**
 * Returns a function that writes journal entries of a turn in progress.
 * - False: the entry exists, the run is no longer in this turn, or the worker lost its lease.
 * - Entries that arrive during a write share the next one, in order: parallel writes to one run would conflict.
 */
export function journalWriter(
  { runs }: Pick<Deps, "runs">,
  { runId, turn, fencingToken }: ClaimedTurn,
): (entry: RunJournalEntry) => Promise<boolean> {
  let waiting: RunJournalEntry[] = [];
  let next: Promise<boolean> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function writeWaiting(): Promise<boolean> {
    const entries = waiting;
    waiting = [];
    next = undefined;
    const used = entries.reduce((sum, entry) => addUsage(sum, usageOfEntry(entry) ?? noUsage), noUsage);
    const summary = entries.findLast((entry) => entry.part === "summary");
    return changeWithRetries(runs, {
      runId,
      expect: { status: transitions.turnFinished.from, turn },
      fencingToken,
      entries,
      ...(used.steps > 0 && { used }),
      ...(summary && summary.throughTurn > 0 && { summary: { throughTurn: summary.throughTurn, text: summary.text } }),
    });
  }

  return (entry) => {
    waiting.push(entry);
    if (!next) {
      next = last.then(writeWaiting);
      last = next.catch(() => {}); // the awaiting caller handles the rejection
    }
    return next;
  };
}

const attempts = 6;
const firstPause = 200; // ms; at most 6 s in all

/**
 * Retries while the store is unavailable, because the step has been paid for. After a timed-out attempt, a rejection may
 * be caused by that attempt's own write. The caller must then load the run again.
 */
async function changeWithRetries(runs: Runs, change: RunChange): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      const applied = await runs.change(change);
      if (applied || attempt === 1) return applied;
      break;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || attempt === attempts) throw error;
    }
    await pause(fullJitter(attempt, { first: firstPause }));
  }
  throw new StoreUnavailable(
    `run ${change.runId}: it is unknown which attempt of a write was applied; load the run again`,
  );
}

/** The failure of a turn whose workflow was never started. */
export const notStarted: Failure = {
  category: "internal",
  title: "The turn could not be started.",
  remedy: "Create a new run. The reason is in the log of the request or command that sent the input.",
  retryable: true,
};

function wallClock(milliseconds: number): Usage {
  return { ...noUsage, milliseconds: Math.max(0, milliseconds) };
}
