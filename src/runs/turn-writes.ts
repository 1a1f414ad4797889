import { noUsage, addUsage, type Usage } from "../agent/turn/limits.ts";
import type { Failure } from "../agent/model.ts";
import { type AnswerEntry, usageOfEntry } from "../agent/turn/journal.ts";
import { fullJitter, pause } from "../async/backoff.ts";
import { StoreUnavailable } from "../errors.ts";
import { transitions } from "./status.ts";
import type { QueuedInput, RunChange, Runs, RunJournalEntry } from "./ports.ts";

/** A turn of a run, as the workflow carries it. */
export interface TurnId {
  runId: string;
  turn: number;
}

/** A turn that a worker has the lease of. `startedAt`: when its input was accepted, in milliseconds since 1970. */
export interface ClaimedTurn extends TurnId {
  fencingToken: number;
  startedAt: number;
}

interface Deps {
  runs: Runs;
  now: () => number;
}

/**
 * Ends a turn: its last step, its output and `finished` in one write, or, when an input waits, that input in place of
 * `finished`. Resolves with the turn that this began. `lost`: the run is no longer in this turn (stopped, or ended by
 * another worker); then nothing was written and there is nothing left to do.
 */
export async function finishTurn(
  { runs, now }: Deps,
  { runId, turn, fencingToken, startedAt }: ClaimedTurn,
  { text, last, queue }: { text: string; last: AnswerEntry; queue: QueuedInput[] },
): Promise<"finished" | "lost" | { next: number }> {
  // An input may be queued between the read and the write: then look again.
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
      steps: [{ turn, ...last }],
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
 * Ends a turn with `technical_error` and its reason, and drops the inputs that wait. `last`: an answer that led to it, and
 * counts like any other. False: as `lost` above.
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
    ...(last && { steps: [{ turn, ...last }] }),
    ...((last || startedAt !== undefined) && { used }),
    queue: "drop",
  };
  return last ? changeWithRetries(deps.runs, change) : deps.runs.change(change);
}

/**
 * Records the steps of a turn in progress. False: the run is no longer in this turn, the worker's lease is no longer
 * the current one, or the step is recorded. Records that arrive while others are being written share the next write,
 * in order: writes of one run at the same time would only get into each other's way.
 */
export function journalWriter(
  { runs }: Pick<Deps, "runs">,
  { runId, turn, fencingToken }: ClaimedTurn,
): (step: RunJournalEntry) => Promise<boolean> {
  let waiting: RunJournalEntry[] = [];
  let next: Promise<boolean> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function writeWaiting(): Promise<boolean> {
    const steps = waiting;
    waiting = [];
    next = undefined;
    const used = steps.reduce((sum, step) => addUsage(sum, usageOfEntry(step) ?? noUsage), noUsage);
    const summary = steps.findLast((step) => step.part === "summary");
    return changeWithRetries(runs, {
      runId,
      expect: { status: transitions.turnFinished.from, turn },
      fencingToken,
      steps,
      ...(used.steps > 0 && { used }),
      ...(summary && summary.throughTurn > 0 && { summary: { throughTurn: summary.throughTurn, text: summary.text } }),
    });
  }

  return (step) => {
    waiting.push(step);
    if (!next) {
      next = last.then(writeWaiting);
      last = next.catch(() => {}); // whoever recorded it hears of it
    }
    return next;
  };
}

const attempts = 6;
const firstPause = 200; // ms; 6 s in all at most

/**
 * A change that carries what was paid for: it is worth some patience with a store that is out of reach. When an attempt
 * got no answer, a later one that loses may have lost to it, which only a fresh look can tell.
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
  throw new StoreUnavailable(`run ${change.runId}: it is unclear which attempt at a write took effect; look again`);
}

/** Why a turn ended that nobody began to work on. */
export const notStarted: Failure = {
  category: "internal",
  title: "The turn could not be started.",
  remedy: "Create a new run; the log of the request or command that gave the input has the reason.",
  retryable: true,
};

function wallClock(milliseconds: number): Usage {
  return { ...noUsage, milliseconds: Math.max(0, milliseconds) };
}
