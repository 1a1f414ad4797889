import { afterAll, expect, test } from "vitest";
import { type MetricValues, measuredRuns, executionMetrics } from "../../../src/observability/metrics.ts";
import { stopRun } from "../../../src/runs/control/control-run.ts";
import { graceSeconds, turnSeconds } from "../../../src/workflow/policy.ts";
import { endFailedExecution } from "../../../src/workflow/reconcile.ts";
import { sweep, type SweepDeps } from "../../../src/workflow/sweep.ts";
import { firstMessages, input, newRun } from "../../platform/run-fixtures.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";
const stores = temporaryStores();
afterAll(() => stores[Symbol.dispose]());

const begun = 1_763_000_000_000;

/** Ends a run in turn `turn`, whose execution was started for turn 1, and returns its status and metrics. */
async function metricsAfter(turn: number, end: (deps: SweepDeps, runId: string) => Promise<void>) {
  const measured: MetricValues[] = [];
  const emit = (values: MetricValues): void => void measured.push(values);
  const runs = measuredRuns(stores.runs, emit);
  const run = newRun({ turn, createdAt: begun, updatedAt: begun });
  await stores.runs.create(run, firstMessages(input(turn, "Hello?")));
  let aborted = false;
  const deps = {
    runs,
    accounts: stores.accounts,
    now: () => begun + (turnSeconds + graceSeconds + 1) * 1_000,
    executions: {
      runningRuns: async () => new Set(aborted ? [] : [run.id]),
      find: async () => ({ turn: 1, ended: aborted ? ("aborted" as const) : undefined }),
    },
    workflow: {
      start: async () => {},
      /** Step Functions emits an event for every aborted execution. */
      async stop(runId: string) {
        aborted = true;
        const detail = { name: `${runId}-1`, status: "ABORTED" as const, input: JSON.stringify({ runId, turn: 1 }) };
        emit(executionMetrics(detail.status, await endFailedExecution(deps, { detail })));
      },
    },
  };
  await end(deps, run.id);
  const total = (name: keyof MetricValues): number => measured.reduce((sum, values) => sum + (values[name] ?? 0), 0);
  return {
    status: await stores.runs.status(run.id),
    RunsFailed: total("RunsFailed"),
    RunsTerminated: total("RunsTerminated"),
  };
}

const failed = { status: "technical_error", RunsFailed: 1, RunsTerminated: 0 };

test("a run ended by the sweep counts as failed, although the sweep aborts its execution", async () => {
  expect(await metricsAfter(1, async (deps) => void (await sweep(deps)))).toEqual(failed);
});

test("a run in a later turn whose execution was aborted outside the service counts when the sweep ends it", async () => {
  const aborted = metricsAfter(3, async (deps, runId) => {
    await deps.workflow.stop(runId, 3);
    await sweep(deps);
  });
  expect(await aborted).toEqual(failed);
});

test.each([1, 3])("a run stopped in turn %i counts as terminated", async (turn) => {
  const stopped = metricsAfter(turn, async (deps, runId) => {
    // An operator's machine emits no metrics.
    await stopRun({ ...deps, runs: stores.runs }, runId);
  });
  expect(await stopped).toEqual({ status: "terminated", RunsFailed: 0, RunsTerminated: 1 });
});
