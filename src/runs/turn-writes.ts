import { noUsage, addUsage, type Usage } from "../agent/turn/turn-limits.ts";
import type { Failure } from "../agent/model.ts";
import { type AnswerEntry, type AskedEntry, type JournalEntry, usageOfEntry } from "../agent/turn/journal.ts";
import type { ManifestFile } from "../agent/turn/files/manifest.ts";
import { steadyClock } from "../async/steady-clock.ts";
import { StoreUnavailable } from "../errors.ts";
import { stamped } from "./events.ts";
import { retryWhileUnavailable } from "./control/retry-unavailable.ts";
import { transitions, turnStartedAt } from "./status.ts";
import type {
  QueuedInput,
  Run,
  RunChange,
  RunFacts,
  RunJournalEntry,
  RunOwner,
  Summary,
  TurnMessage,
} from "./run-types.ts";
import type { Runs, Uses } from "./ports.ts";

/** Identifies a turn. The payload of the workflow. */
export interface TurnId {
  runId: string;
  turn: number;
}

/** A turn and the worker's lease on it. Times are milliseconds since 1970. */
export interface ClaimedTurn extends TurnId {
  fencingToken: number;
  /** Milliseconds since the turn's input was accepted. A clock that is set while the worker has the turn does not change it. */
  elapsed: () => number;
  /** How often turns of the run have waited for answers. Absent: 0. */
  pauses?: number;
  /** When the run was created. An event never gets an earlier time, even if the clock of this machine is behind. */
  createdAt: number;
  /** Number of the run's last event. The functions below increase it with each applied write. */
  sequence: number;
  /** Absent: the store looks it up. */
  facts?: RunFacts;
}

export function claimedTurn(run: Run, fencingToken: number, now: () => number): ClaimedTurn {
  const { id, turn, createdAt, sequence, pauses } = run;
  const startedAt = turnStartedAt(run);
  const steady = steadyClock(now);
  const elapsed = (): number => Math.max(0, steady() - startedAt);
  return {
    runId: id,
    turn,
    fencingToken,
    createdAt,
    sequence,
    facts: run,
    elapsed,
    ...(pauses !== undefined && { pauses }),
  };
}

type Writes = Uses<"runs" | "now">;

/** Starts a turn. A turn that cannot be started is ended with `technical_error`; the error is thrown. */
export async function startTurn(
  deps: Uses<"runs" | "now" | "workflow">,
  run: RunOwner & Pick<Run, "id" | "pauses">,
  turn: number,
): Promise<void> {
  try {
    await deps.workflow.start(run.id, turn, run);
  } catch (error) {
    await failTurn(deps, { runId: run.id, turn }, notStarted);
    throw error;
  }
}

/**
 * Lets a turn wait for answers: writes what is asked and until when, and ends the lease, in one change. False: nothing was
 * written, as `lost` below.
 */
export function pauseTurn({ runs, now }: Writes, claimed: ClaimedTurn, calls: AskedEntry[]): Promise<boolean> {
  const { runId, turn, fencingToken, elapsed, sequence, pauses = 0, facts } = claimed;
  const { from, to } = transitions.turnAsks;
  const updatedAt = now();
  const askedUntil = Math.min(...calls.map(({ until }) => until));
  return changeWithRetries(runs, {
    runId,
    expect: { status: from, turn },
    fencingToken,
    set: {
      status: to,
      turn,
      updatedAt,
      asks: { askedUntil, pauses: pauses + 1, worked: elapsed() },
    },
    entries: stamped(
      calls.map((call) => ({ turn, ...call })),
      { sequence, at: timeOf(claimed, updatedAt) },
    ),
    ...(facts && { facts }),
  });
}

/** What the write that ends a turn contains. */
interface TurnEnd {
  text: string;
  last: AnswerEntry;
  files?: ManifestFile[];
  summary?: Summary;
  queue: QueuedInput[];
}

/**
 * Ends a turn: writes its last step, its output and `finished` in one change. With a queued input, that change starts
 * the next turn instead of `finished`. `summary`: the turn's summary of earlier turns. It is not written before: a
 * turn that resumes folds its journal over the conversation that it began with.
 * - `next`: the turn that was started.
 * - `lost`: nothing was written. The run is no longer in this turn (stopped, or ended by another worker).
 */
export async function finishTurn(
  { runs, now }: Writes,
  claimed: ClaimedTurn,
  { text, last, files, summary, queue }: TurnEnd,
): Promise<"finished" | "lost" | { next: number }> {
  const { runId, turn, fencingToken, elapsed } = claimed;
  const at = timeOf(claimed, now());
  // Repeats when an input is queued between the read and the write.
  for (let waiting = queue; ;) {
    const [next] = waiting;
    const updatedAt = now();
    const { from, to } = next ? transitions.nextInputAccepted : transitions.turnFinished;
    const messages: TurnMessage[] = [{ turn, role: "output_from_agent", text }];
    if (next) messages.push({ ...next, role: "input_to_agent" });
    const change: RunChange = {
      runId,
      expect: { status: from, turn, queued: waiting.length },
      fencingToken,
      set: { status: to, turn: next?.turn ?? turn, updatedAt },
      entries: stamped([{ turn, ...last }], { sequence: claimed.sequence, at }),
      messages: stamped(messages, { sequence: claimed.sequence + 1, at }),
      ...(files && { files }),
      used: addUsage(usageOfEntry(last) ?? noUsage, wallClock(elapsed())),
      ...factsOf([last]),
      ...(summary && { summary }),
      ...(next && { queue: { take: next.turn } }),
      ...(claimed.facts && { facts: claimed.facts }),
    };
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
  deps: Writes,
  failed: ClaimedTurn | (TurnId & { fencingToken?: number }),
  failure: Failure,
  last?: AnswerEntry,
): Promise<boolean> {
  const { runId, turn, fencingToken } = failed;
  const { from, to } = transitions.turnFailed;
  const updatedAt = deps.now();
  const change: RunChange = {
    runId,
    expect: { status: from, turn, asks: false }, // its execution has ended, and an answer starts another one
    ...(fencingToken !== undefined && { fencingToken }),
    set: { status: to, turn, updatedAt, failure },
    queue: "drop",
  };
  if (!("sequence" in failed)) return deps.runs.change(change);
  if (failed.facts) change.facts = failed.facts;
  change.used = addUsage((last && usageOfEntry(last)) ?? noUsage, wallClock(failed.elapsed()));
  if (!last) return deps.runs.change(change);
  const at = timeOf(failed, updatedAt);
  return changeWithRetries(deps.runs, {
    ...change,
    ...factsOf([last]),
    entries: stamped([{ turn, ...last }], { sequence: failed.sequence, at }),
  });
}

/** Names of tools that are kept in the head of a run. A model can make up any name. */
const toolName = /^[\w.:/-]{1,128}$/;

/** What the head of a run keeps of answers: the model of the last one, and the tools that they call. */
export function factsOf(entries: JournalEntry[]): Pick<RunChange, "model" | "tools"> {
  const answers = entries.filter((entry) => entry.part === "answer");
  const model = answers.at(-1)?.model;
  const names = answers.flatMap(({ answer }) => answer.toolCalls.map(({ name }) => name));
  const tools = [...new Set(names.filter((name) => toolName.test(name)))];
  return { ...(model !== undefined && { model }), ...(tools.length > 0 && { tools }) };
}

const nothingWritten = Promise.resolve();

/**
 * Returns a function that writes journal entries of a turn in progress.
 * - False: another worker has recorded an event, the run is no longer in this turn, or the worker lost its lease.
 * - Entries that arrive during a write share the next one, in order: parallel writes to one run would conflict. The time
 *   of an entry is that of its arrival.
 * - After a write that failed, no later entry is written: a result can build on the changes of an earlier one.
 */
export function journalWriter(
  { runs, now }: Writes,
  claimed: ClaimedTurn,
): (entry: RunJournalEntry) => Promise<boolean> {
  const { runId, turn, fencingToken, facts } = claimed;
  let waiting: (RunJournalEntry & { at: number })[] = [];
  let next: Promise<boolean> | undefined;
  let last: Promise<unknown> = nothingWritten;

  async function writeWaiting(): Promise<boolean> {
    const entries = waiting.map((entry, index) => ({ ...entry, sequence: claimed.sequence + index + 1 }));
    waiting = [];
    next = undefined;
    const used = entries.reduce((sum, entry) => addUsage(sum, usageOfEntry(entry) ?? noUsage), noUsage);
    const applied = await changeWithRetries(runs, {
      runId,
      expect: { status: transitions.turnFinished.from, turn },
      fencingToken,
      entries,
      ...((used.steps > 0 || used.inputTokens > 0) && { used }),
      ...factsOf(entries),
      ...(facts && { facts }),
    });
    if (applied) claimed.sequence += entries.length;
    return applied;
  }

  return (entry) => {
    waiting.push({ ...entry, at: timeOf(claimed, now()) });
    if (!next) {
      next = last.then(writeWaiting);
      last = next;
    }
    return next;
  };
}

/**
 * Retries while the store is unavailable, because the step has been paid for. After a timed-out attempt, a rejection may
 * be caused by that attempt's own write. The caller must then load the run again.
 */
async function changeWithRetries(runs: Runs, change: RunChange): Promise<boolean> {
  let attempts = 0;
  const applied = await retryWhileUnavailable((attempt) => {
    attempts = attempt;
    return runs.change(change);
  });
  if (applied || attempts === 1) return applied;
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

/** The time of an event that is recorded now. */
function timeOf({ createdAt }: ClaimedTurn, now: number): number {
  return Math.max(now, createdAt);
}

/** The time of a turn that ends, as usage. */
export function wallClock(milliseconds: number): Usage {
  return { ...noUsage, milliseconds: Math.max(0, milliseconds) };
}
