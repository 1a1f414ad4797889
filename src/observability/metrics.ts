import type { Runs } from "../runs/ports.ts";
import { type RunStatus, turnStartedAt } from "../runs/status.ts";
import type { TurnId } from "../runs/turn-writes.ts";
import type { RunChange, RunOwner } from "../runs/run-types.ts";

/** CloudWatch namespace of the service's metrics. */
export const namespace = "AgentRunService";

/** Dimension that separates the deployments of one account: the table name. */
export const serviceDimension = "Table";

/** Additional dimension of `RunsFailed`: the failure category. */
export const categoryDimension = "Category";

/**
 * Metrics and their CloudWatch units.
 * - `Cost`: US dollars, for which CloudWatch has no unit.
 * - `RunsRunning`, `RunsOrphaned`, `RunsWaiting`: runs in progress, orphaned runs and runs without a slot, found by a sweep.
 * - `LargeRequestsFailed`: 0 or 1 per request to the upload server.
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
  RunsOrphaned: "Count",
  RunsWaiting: "Count",
  LargeRequestsFailed: "Count",
} as const;

export type Metric = keyof typeof metricUnits;
export type MetricValues = Partial<Record<Metric, number>>;

/** Writes metric values. `category`: category of a failure. */
export type Emit = (values: MetricValues, category?: string) => void;

/**
 * Writes metrics as one line of JSON to stdout, in CloudWatch's embedded metric format. CloudWatch reads them from the
 * function's log, so no API call is made
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Lambda.html).
 * Powertools would add 10 ms to every cold start and buffers values until it is flushed.
 */
export function emitter(table: string, { now = Date.now, write = toStdout } = {}): Emit {
  return (values, category) => {
    const names = Object.keys(values) as Metric[];
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
        ...values,
      }),
    );
  };
}

/**
 * A `Runs` that emits metrics for each applied write. Rejected and repeated writes count nothing, so retries of an
 * invocation do not count twice. Of runs that belong to a feature, only the usage counts: an attempt of a trial that fails is a
 * finding, and no failure of the service. `isOwnRun`: whether a run belongs to an organization.
 */
export function measuredRuns(
  runs: Runs,
  emit: Emit,
  { now = Date.now, isOwnRun = () => true }: { now?: () => number; isOwnRun?: (owner: RunOwner) => boolean } = {},
): Runs {
  // The loaded turn, while its journal is empty. A Lambda process advances one turn at a time.
  let unstarted: { runId: string; turn: number; waited: number } | undefined;
  let uncounted: string | undefined; // the loaded run, if it belongs to a feature
  return {
    ...runs,

    async create(...args) {
      const outcome = await runs.create(...args);
      if (outcome === "created" && isOwnRun(args[0])) emit({ RunsCreated: 1 });
      return outcome;
    },

    async load(id) {
      const state = await runs.load(id);
      uncounted = state && !isOwnRun(state.run) ? id : undefined;
      unstarted =
        state?.journal.length === 0 && uncounted === undefined
          ? { runId: id, turn: state.run.turn, waited: now() - turnStartedAt(state.run) }
          : undefined;
      return state;
    },

    async change(change) {
      const applied = await runs.change(change);
      if (!applied) return false;
      if (change.runId === uncounted) {
        emit(usageMetrics(change));
        return true;
      }
      const values = { ...statusMetrics(change), ...usageMetrics(change) };
      if (unstarted && isFirstStep(change, unstarted)) {
        values.QueueTime = unstarted.waited;
        unstarted = undefined;
      }
      emit(values, change.set?.failure?.category);
      return true;
    },
  };
}

/** Metrics of a status change. `RunsFailed` is 0 or 1 for each run that ends, so that its average is the failure rate. */
function statusMetrics({ set }: RunChange): MetricValues {
  switch (set?.status) {
    case "finished":
      return { RunsFinished: 1, RunsFailed: 0 };
    case "technical_error":
      return { RunsFailed: 1 };
    case "terminated": // written by the CLI, which emits no metrics: see executionMetrics
    case "running":
    case undefined:
      return {};
  }
}

/**
 * Metrics of an execution that did not end itself. Runs are stopped from an operator's machine, which emits no metrics.
 * So a stopped run is counted when its execution is aborted. Any other status is counted by the write that sets it.
 */
export function executionMetrics(status: string, runStatus: RunStatus | undefined): MetricValues {
  return status === "ABORTED" && runStatus === "terminated" ? { RunsTerminated: 1 } : {};
}

/** Usage of model calls and, at the end of a turn, its duration. */
function usageMetrics({ used }: RunChange): MetricValues {
  if (!used) return {};
  const { steps, inputTokens, outputTokens, dollars, milliseconds } = used;
  return {
    ...(steps > 0 && { Steps: steps, InputTokens: inputTokens, OutputTokens: outputTokens }),
    ...(dollars > 0 && { Cost: dollars }),
    ...(milliseconds > 0 && { TurnDuration: milliseconds }),
  };
}

function isFirstStep({ runId, expect, entries = [] }: RunChange, turn: TurnId): boolean {
  return runId === turn.runId && expect.turn === turn.turn && entries.some(({ step }) => step === 1);
}

function toStdout(line: string): void {
  process.stdout.write(`${line}\n`);
}
