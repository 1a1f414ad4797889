import type { RunChange, Runs, RunState } from "./runs/ports.ts";

/** Where CloudWatch keeps the service's own metrics. */
export const namespace = "AgentRunService";

/** The dimension that tells the services of one account apart: the name of the table. */
export const serviceDimension = "Table";

/** A second dimension of `RunsFailed`: the failure's category. */
export const categoryDimension = "Category";

/**
 * What is measured, in the units that CloudWatch knows. `Cost` is in US dollars, which it does not. `RunsRunning` and
 * `RunsStuck` (nobody works on them) are what a sweep found.
 */
export const metricUnits = {
  RunsCreated: "Count",
  RunsFinished: "Count",
  RunsFailed: "Count",
  RunsTerminated: "Count",
  TurnDuration: "Milliseconds",
  QueueTime: "Milliseconds",
  Steps: "Count",
  InputTokens: "Count",
  OutputTokens: "Count",
  Cost: "None",
  RunsRunning: "Count",
  RunsStuck: "Count",
} as const;

export type Metric = keyof typeof metricUnits;
export type Measured = Partial<Record<Metric, number>>;

/** Writes what was measured. `category`: of the failure in it. */
export type Emit = (measured: Measured, category?: string) => void;

/**
 * One line of JSON on stderr, in CloudWatch's embedded metric format: metrics come out of the function's log, and no call
 * is made. It is written here, in twenty lines, and not by Powertools, because that takes 10 ms of every function's start
 * and keeps what it was given until it is told to flush.
 */
export function emitter(table: string, { now = Date.now, write = toStderr } = {}): Emit {
  return (measured, category) => {
    const names = Object.keys(measured) as Metric[];
    if (names.length === 0) return;
    const directive = (metrics: Metric[], ...dimensions: string[]) => ({
      Namespace: namespace,
      Dimensions: [[serviceDimension, ...dimensions]],
      Metrics: metrics.map((name) => ({ Name: name, Unit: metricUnits[name] })),
    });
    const byCategory = category === undefined ? [] : [directive(["RunsFailed"], categoryDimension)];
    write(
      JSON.stringify({
        _aws: { Timestamp: now(), CloudWatchMetrics: [directive(names), ...byCategory] },
        [serviceDimension]: table,
        ...(category !== undefined && { [categoryDimension]: category }),
        ...measured,
      }),
    );
  };
}

/**
 * The same store, which also measures every write that took effect: one that lost, or that a repeated invocation makes
 * again, counts nothing. What a stopped or crashed invocation had recorded is counted by then.
 */
export function measuredRuns(runs: Runs, emit: Emit, now: () => number = Date.now): Runs {
  // A function's process works on one turn at a time.
  let taken: TakenTurn | undefined;
  return {
    ...runs,

    async create(run, messages) {
      await runs.create(run, messages);
      emit({ RunsCreated: 1 });
    },

    async load(id) {
      const state = await runs.load(id);
      taken = state && takenTurn(state, now());
      return state;
    },

    async change(change) {
      const applied = await runs.change(change);
      if (!applied) return false;
      const ours = change.runId === taken?.runId && change.expect.turn === taken.turn ? taken : undefined;
      emit({ ...ofMove(change, ours), ...ofSteps(change, ours) }, change.set?.failure?.category);
      return true;
    },
  };
}

/** A turn as a worker took it up. `waited`: milliseconds since its input was accepted, when nothing was recorded yet. */
interface TakenTurn {
  runId: string;
  turn: number;
  acceptedAt: number;
  waited?: number;
}

function takenTurn({ run, steps }: RunState, now: number): TakenTurn {
  // A running run was last written when its turn's input was accepted.
  const { id: runId, turn, updatedAt: acceptedAt } = run;
  return { runId, turn, acceptedAt, ...(steps.length === 0 && { waited: now - acceptedAt }) };
}

/** A run's move from one status to another. `RunsFailed` is 0 or 1 of a turn that ends, so that its average is a share. */
function ofMove({ set }: RunChange, taken: TakenTurn | undefined): Measured {
  if (!set) return {};
  const took = taken ? { TurnDuration: set.updatedAt - taken.acceptedAt } : {};
  switch (set.status) {
    case "finished":
      return { RunsFinished: 1, RunsFailed: 0, ...took };
    case "technical_error":
      return { RunsFailed: 1, ...took };
    case "terminated":
      return { RunsTerminated: 1 };
    case "running":
      return {};
  }
}

/** The model calls that were recorded, and with a turn's first one how long it had waited for a worker. */
function ofSteps({ steps = [] }: RunChange, taken: TakenTurn | undefined): Measured {
  const answers = steps.filter((step) => step.part === "answer");
  if (answers.length === 0) return {};
  const sum = (amount: (step: (typeof answers)[number]) => number): number =>
    answers.reduce((total, step) => total + amount(step), 0);
  const first = answers.some(({ step }) => step === 1);
  return {
    Steps: answers.length,
    InputTokens: sum(({ answer }) => answer.usage.inputTokens),
    OutputTokens: sum(({ answer }) => answer.usage.outputTokens),
    ...(first && taken?.waited !== undefined && { QueueTime: taken.waited }),
  };
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
