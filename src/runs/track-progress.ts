import { boundedCache } from "./bounded-cache.ts";
import type { Runs } from "./ports.ts";
import { foldEvent, newTurn, type RunProgress } from "./read/run-progress.ts";
import type { Run, TurnState } from "./run-types.ts";

/** Reads the progress of runs. Each event of a run is read once, so that polling costs little. */
export interface ProgressTracker {
  /** Undefined: the run has no turn, or an earlier release wrote its last events. */
  progressOf(run: Run): Promise<RunProgress | undefined>;
  /** The progress with the usage of the whole turn. Undefined: the run has no turn. */
  turnOf(run: Run): Promise<RunProgress | undefined>;
}

/** Runs whose progress is kept in memory, at 1 KB each. */
const maxKept = 5_000;
/** Events per read, and the number of new events above which the fold begins again at the end. */
const [pageLimit, maxBehind] = [100, 300];
/** Last events to read, until they show what the run does. An answer can have more than 100 calls. */
const tails = [4, 40, 400];

export function progressTracker({ runs }: { runs: Runs }): ProgressTracker {
  const known = boundedCache<RunProgress>(maxKept);

  /** Folds the events from `progress` up to the run's last one. */
  async function advance(run: Run, from: { after: number; progress?: RunProgress }): Promise<RunProgress | undefined> {
    let { after, progress } = from;
    while (after < run.sequence) {
      const events = await runs.listEvents(run.id, after, pageLimit);
      if (events.length === 0) break;
      for (const event of events) progress = foldEvent(progress, event);
      after = events.at(-1)?.sequence ?? run.sequence;
    }
    return progress;
  }

  async function fromTail(run: Run): Promise<RunProgress | undefined> {
    for (const count of tails) {
      const after = Math.max(0, run.sequence - count);
      const progress = await advance(run, { after });
      if (progress || after === 0) return progress;
    }
    return undefined;
  }

  /** `isEnough`: whether the progress in memory can be continued. */
  async function read(
    run: Run,
    isEnough: (kept: RunProgress) => boolean,
    begin: () => Promise<RunProgress | undefined>,
  ): Promise<RunProgress | undefined> {
    if (run.turn === 0) return undefined;
    const kept = known.get(run.id);
    const progress = await (kept && isEnough(kept) ? advance(run, { after: kept.sequence, progress: kept }) : begin());
    const other = known.get(run.id); // another request can have read more meanwhile
    if (progress && (!other || other.sequence < progress.sequence || !other.used)) known.set(run.id, progress);
    return progress;
  }

  return {
    progressOf: (run) =>
      run.sequence === 0
        ? Promise.resolve(undefined)
        : read(
            run,
            ({ sequence }) => run.sequence - sequence <= maxBehind,
            () => fromTail(run),
          ),

    turnOf: (run) =>
      read(
        run,
        ({ used, sequence }) => used !== undefined && sequence > 0,
        async () => {
          const state = await runs.loadTurn(run.id);
          return state && state.run.turn > 0 ? wholeTurn(runs, state) : undefined;
        },
      ),
  };
}

async function wholeTurn(runs: Runs, { run, journal, agentVersion }: TurnState): Promise<RunProgress | undefined> {
  const { turn, status, sequence } = run;
  // The input is the event before the turn's first entry.
  const before = (journal[0]?.sequence ?? sequence + 1) - 1;
  const [input] = before >= 1 ? await runs.listEvents(run.id, before - 1, 1) : [];
  const isInput = input && "role" in input && input.role === "input_to_agent" && input.turn === turn;
  const start = newTurn(isInput ? input : { turn, ...(agentVersion !== undefined && { agentVersion }) });
  const progress = journal.reduce<RunProgress | undefined>(foldEvent, start) ?? start;
  if (status === "running") return { ...progress, sequence };
  const { doing: _, ...ended } = progress;
  return { ...ended, sequence };
}
