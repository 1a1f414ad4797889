import { expect, test, vi } from "vitest";
import { emitter, type MetricValues, measuredRuns, executionMetrics } from "../../src/observability/metrics.ts";
import { noUsage, type Usage } from "../../src/agent/turn/turn-limits.ts";
import type { Failure } from "../../src/agent/model.ts";
import type { Run, RunJournalEntry } from "../../src/runs/run-types.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { firstMessages, input, numbered, output } from "../platform/run-fixtures.ts";
import { temporaryStores } from "../support/temporary-stores.ts";

const run: Run = {
  id: "0d2f7c1e-93c6-4a6e-9a39-f4c1b0a5f001",
  agentId: "a",
  organizationId: "o",
  name: "n",
  status: "running",
  turn: 1,
  createdAt: 1_000,
  updatedAt: 1_000,
  sequence: 1,
};
const first = firstMessages(input(1, "i"));
const failure: Failure = { category: "model_refused", title: "No.", remedy: "Ask otherwise.", retryable: false };

function answer(step: number): RunJournalEntry {
  const usage = { inputTokens: 100 * step, outputTokens: 10 * step };
  return { turn: 1, part: "answer", step, answer: { text: "t", toolCalls: [], finishReason: "stop", usage } };
}

function used(steps: number, more: Partial<Usage> = {}): Usage {
  return { ...noUsage, steps, inputTokens: 100 * steps, outputTokens: 10 * steps, ...more };
}

/** A measured store, the emitted values, and a clock. */
async function measuredStore(
  use: (runs: Runs, emitted: [MetricValues, string?][], clock: { now: number }) => Promise<void>,
) {
  using stores = temporaryStores();
  const emitted: [MetricValues, string?][] = [];
  const clock = { now: 1_000 };
  const emit = (measured: MetricValues, category?: string) =>
    void emitted.push(category === undefined ? [measured] : [measured, category]);
  await use(
    measuredRuns(stores.runs, emit, {
      now: () => clock.now,
      isOwnRun: ({ organizationId }) => organizationId !== "trial-1",
    }),
    emitted,
    clock,
  );
}

test("emits the metrics of a turn from its creation to its end", () =>
  measuredStore(async (runs, emitted, clock) => {
    await runs.create(run, first);
    clock.now = 1_250;
    await runs.load(run.id);
    const expected = { status: "running", turn: 1 } as const;
    await runs.change({ runId: run.id, expect: expected, ...numbered(1, { entries: [answer(1)] }), used: used(1) });
    await runs.change({
      runId: run.id,
      expect: expected,
      set: { status: "finished", turn: 1, updatedAt: 4_000 },
      ...numbered(2, { entries: [answer(2)], messages: [output(1, "o")] }),
      used: used(2, { milliseconds: 3_000, dollars: 0.25 }),
    });
    expect(emitted).toEqual([
      [{ RunsCreated: 1 }],
      [{ Steps: 1, InputTokens: 100, OutputTokens: 10, QueueTime: 250 }],
      [
        {
          RunsFinished: 1,
          RunsFailed: 0,
          TurnDuration: 3_000,
          Steps: 2,
          InputTokens: 200,
          OutputTokens: 20,
          Cost: 0.25,
        },
      ],
    ]);
  }));

test("counts a failure with its category, for the applied write only", () =>
  measuredStore(async (runs, emitted) => {
    await runs.create(run, first);
    const change = {
      runId: run.id,
      expect: { status: "running", turn: 1 },
      set: { status: "technical_error", turn: 1, updatedAt: 2_000, failure },
    } as const;
    expect(await runs.change(change)).toBe(true);
    expect(await runs.change(change)).toBe(false);
    expect(emitted).toEqual([[{ RunsCreated: 1 }], [{ RunsFailed: 1 }, "model_refused"]]);
  }));

test("counts an aborted execution as a terminated run only when the run is terminated", () => {
  expect(executionMetrics("ABORTED", "terminated")).toEqual({ RunsTerminated: 1 });
  for (const status of ["running", "finished", "technical_error", undefined] as const)
    expect(executionMetrics("ABORTED", status)).toEqual({});
  expect(executionMetrics("FAILED", "terminated")).toEqual({});
});

test("emits the queue time once, and not for a turn that another worker has started", () =>
  measuredStore(async (runs, emitted) => {
    await runs.create(run, first);
    const expected = { status: "running", turn: 1 } as const;
    await runs.load(run.id);
    const record = (step: number) =>
      runs.change({ runId: run.id, expect: expected, ...numbered(step, { entries: [answer(step)] }) });
    for (const step of [1, 2]) await record(step);
    await runs.load(run.id);
    await record(3);
    expect(emitted.slice(1).map(([measured]) => "QueueTime" in measured)).toEqual([true, false, false]);
  }));

test("writes one line of embedded metric format", () => {
  const write = vi.fn();
  const emit = emitter("the-table", { now: () => 1_700_000_000_000, write });
  emit({});
  expect(write).not.toHaveBeenCalled();
  emit({ RunsFailed: 1, TurnDuration: 12 }, "limit");
  const [[line]] = write.mock.calls as [[string]];
  expect(line).not.toContain("\n");
  expect(JSON.parse(line)).toEqual({
    _aws: {
      Timestamp: 1_700_000_000_000,
      CloudWatchMetrics: [
        {
          Namespace: "AgentRunService",
          Dimensions: [["Table"]],
          Metrics: [
            { Name: "RunsFailed", Unit: "Count" },
            { Name: "TurnDuration", Unit: "Milliseconds" },
          ],
        },
        {
          Namespace: "AgentRunService",
          Dimensions: [["Table", "Category"]],
          Metrics: [{ Name: "RunsFailed", Unit: "Count" }],
        },
      ],
    },
    Table: "the-table",
    Category: "limit",
    RunsFailed: 1,
    TurnDuration: 12,
  });
});

test("counts of a trial's runs only what they use", () =>
  measuredStore(async (runs, emitted) => {
    const owner = { agentId: "trial-1", organizationId: "trial-1" };
    await runs.create({ ...run, ...owner }, first);
    await runs.load(run.id);
    const expected = { status: "running", turn: 1 } as const;
    await runs.change({ runId: run.id, expect: expected, ...numbered(1, { entries: [answer(1)] }), used: used(1) });
    await runs.change({
      runId: run.id,
      expect: expected,
      set: { status: "technical_error", turn: 1, updatedAt: 4_000, failure },
    });
    expect(emitted).toEqual([[{ Steps: 1, InputTokens: 100, OutputTokens: 10 }], [{}]]);
  }));
