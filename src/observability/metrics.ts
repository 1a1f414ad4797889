import { turnStartedAt } from "../runs/status.ts";
import type { RunChange, RunState } from "../runs/types.ts";
import type { Runs } from "../runs/ports.ts";
import type { ReconcileResult } from "../workflow/reconcile.ts";

/** Where CloudWatch keeps the service's own metrics. */
export const namespace = "AgentRunService";

/** The dimension that tells the services of one account apart: the name of the table. */
export const serviceDimension = "Table";

/** A second dimension of `RunsFailed`: the failure's category. */
export const categoryDimension = "Category";

/**
 * What is measured, in the units that CloudWatch knows. `Cost` is in US dollars, which it does not. `RunsRunning` and
 * `RunsStuck` (nobody works on them) are what a sweep found; `LargeRequestsFailed` is 0 or 1 for each request to the
 * large-body server.
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
  LargeRequestsFailed: "Count",
} as const;

export type Metric = keyof typeof metricUnits;
export type MetricValues = Partial<Record<Metric, number>>;

/** Writes what was measured. `category`: of the failure in it. */
export type Emit = (measured: MetricValues, category?: string) => void;

/**
 * One line of JSON on stdout, where AWS asks for CloudWatch's embedded metric format: metrics come out of the function's
 * log, and no call is made
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Lambda.html). It is written here, in twenty lines, and not by Powertools, because that takes 10 ms of every function's start
 * and keeps what it was given until it is told to flush.
 */
export function emitter(table: string, { now = Date.now, write = toStdout } = {}): Emit {
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
  let fresh: FreshTurn | undefined;
  return {
    ...runs,

    async create(...created) {
      await runs.create(...created);
      emit({ RunsCreated: 1 });
    },

    async load(id) {
      const state = await runs.load(id);
      fresh = state && freshTurn(state, now());
      return state;
    },

    async change(change) {
      const applied = await runs.change(change);
      if (!applied) return false;
      const waited = fresh && isFirstStep(change, fresh) ? { QueueTime: fresh.waited } : {};
      if ("QueueTime" in waited) fresh = undefined;
      emit({ ...statusMetrics(change), ...usageMetrics(change), ...waited }, change.set?.failure?.category);
      return true;
    },
  };
}

/** A turn nothing is recorded of yet, as a worker took it up. `waited`: milliseconds since its input was accepted. */
interface FreshTurn {
  runId: string;
  turn: number;
  waited: number;
}

function freshTurn({ run, steps }: RunState, now: number): FreshTurn | undefined {
  return steps.length > 0 ? undefined : { runId: run.id, turn: run.turn, waited: now - turnStartedAt(run) };
}

/** A run's move to another status. `RunsFailed` is 0 or 1 of a run that ends, so that its average is a share. */
function statusMetrics({ set }: RunChange): MetricValues {
  switch (set?.status) {
    case "finished":
      return { RunsFinished: 1, RunsFailed: 0 };
    case "technical_error":
      return { RunsFailed: 1 };
    case "terminated": // by an operator's hand; see ofEndedExecution
    case "running":
    case undefined:
      return {};
  }
}

/**
 * What an execution that did not end by itself stands for. Runs are stopped from an operator's machine, whose output
 * nobody measures: an aborted execution whose run is `terminated` is one that was stopped at work. With any other run,
 * whoever gave it its status, or will, counts it: a turn that is over, or one that the sweep ends.
 */
export function executionMetrics(status: string, found: ReconcileResult): MetricValues {
  return status === "ABORTED" && found === "terminated" ? { RunsTerminated: 1 } : {};
}

/** What model calls used up, and at a turn's end the time it took. */
function usageMetrics({ used }: RunChange): MetricValues {
  if (!used) return {};
  const { steps, inputTokens, outputTokens, dollars, milliseconds } = used;
  return {
    ...(steps > 0 && { Steps: steps, InputTokens: inputTokens, OutputTokens: outputTokens }),
    ...(dollars > 0 && { Cost: dollars }),
    ...(milliseconds > 0 && { TurnDuration: milliseconds }),
  };
}

function isFirstStep({ runId, expect, steps = [] }: RunChange, fresh: FreshTurn): boolean {
  return runId === fresh.runId && expect.turn === fresh.turn && steps.some(({ step }) => step === 1);
}

function toStdout(line: string): void {
  process.stdout.write(`${line}\n`);
}
