import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { StoreUnavailable } from "../../../src/errors.ts";
import type { Execution, Executions } from "../../../src/workflow/execution.ts";
import type { Run } from "../../../src/runs/run-types.ts";
import type { Runs } from "../../../src/runs/ports.ts";
import { acceptInput, stopRun } from "../../../src/runs/control/control-run.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { RetryLater } from "../../../src/workflow/retry-later.ts";
import { graceSeconds, turnSeconds } from "../../../src/workflow/policy.ts";
import { type ExecutionEvent, endFailedExecution } from "../../../src/workflow/reconcile.ts";
import { sweep } from "../../../src/workflow/sweep.ts";
import { firstMessages, input, newRun } from "../../platform/run-fixtures.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";
const stores = temporaryStores();
const { runs } = stores;
afterAll(() => stores[Symbol.dispose]());

const minute = 60_000;
const begun = 1_763_000_000_000;
let clock = begun;
const now = (): number => clock;

/** Fake Step Functions: executions by the turn they were started for, and the stopped ones. */
let known: Map<string, Omit<Execution, "turn">>;
let stopped: string[];
const executions: Executions = {
  runningRuns: async () =>
    new Set([...known].filter(([, { ended }]) => !ended).map(([name]) => name.slice(0, name.lastIndexOf("-")))),
  async find({ id: runId, turn }) {
    for (let first = turn; first > 0; first--) {
      const found = known.get(`${runId}-${first}`);
      if (found) return { turn: first, ...found };
    }
    return undefined;
  },
};
const workflow = {
  start: async () => {},
  stop: async (runId: string, turn: number) => void stopped.push(`${runId}-${turn}`),
};
const deps = { ...stores, executions, workflow, now };

beforeEach(async () => {
  [known, stopped, clock] = [new Map(), [], begun];
  for (const { id } of await runs.listRunning()) await stopRun({ ...stores, workflow, now }, id);
  stopped = [];
});

/** A run of an agent that does not exist, unless `fields` name one. */
async function running(fields: Partial<Run> = {}): Promise<string> {
  const run = newRun({ createdAt: begun, updatedAt: begun, ...fields });
  await runs.create(run, firstMessages(input(run.turn, "Hello?")));
  return run.id;
}

const statusOf = async (id: string) => (await runs.read(id))?.run.status;
const reasonOf = async (id: string) => (await runs.read(id))?.run.failure?.title;

/** The used fields of the event that AWS documents under "Automating Step Functions event delivery with EventBridge". */
function event(runId: string, detail: Partial<ExecutionEvent["detail"]>): ExecutionEvent {
  return {
    detail: {
      name: `${runId}-1`,
      status: "FAILED",
      input: JSON.stringify({ runId, turn: 1 }),
      error: null,
      cause: null,
      ...detail,
    },
  };
}

/** Moves the clock past the grace period of the sweep. */
function later(): void {
  clock = begun + (graceSeconds + 1) * 1_000;
}

describe("endFailedExecution", () => {
  test("records the execution's error when the fail task failed", async () => {
    const runId = await running();
    const cause = JSON.stringify({ errorType: "Error", errorMessage: "The table is on fire." });
    expect(await endFailedExecution(deps, event(runId, { error: "Lambda.Unknown", cause }))).toBe("technical_error");
    expect(await statusOf(runId)).toBe("technical_error");
    expect(await reasonOf(runId)).toBe("The turn's execution failed (Lambda.Unknown: The table is on fire.).");
  });

  test("records the last attempt's failure when the fail task never ran", async () => {
    const runId = await running();
    const lastError = new RetryLater(
      { category: "model_unavailable", title: "It is away.", remedy: "Wait.", retryable: true },
      undefined,
    );
    const cause = JSON.stringify({ errorType: lastError.name, errorMessage: lastError.message });
    await endFailedExecution(deps, event(runId, { error: lastError.name, cause }));
    expect((await runs.read(runId))?.run.failure).toMatchObject({
      category: "model_unavailable",
      title: "Failed after 40 retries: It is away.",
    });
  });

  test("records a limit failure for an execution that timed out", async () => {
    const runId = await running();
    await endFailedExecution(deps, event(runId, { status: "TIMED_OUT" }));
    expect((await runs.read(runId))?.run).toMatchObject({ status: "technical_error", failure: { category: "limit" } });
  });

  test("does nothing for an execution that was aborted because its run was stopped", async () => {
    const runId = await running();
    await stopRun(deps, runId);
    expect(await endFailedExecution(deps, event(runId, { status: "ABORTED" }))).toBe("terminated");
    expect(await statusOf(runId)).toBe("terminated");
  });

  test("does nothing for a duplicate event, or after the next turn started", async () => {
    const { id: organizationId } = await createOrganization(stores.accounts, { name: "O" });
    const definition = { name: "A", instructions: "Answer.", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };
    const { id: agentId } = await createAgent(stores.accounts, organizationId, definition);
    const runId = await running({ status: "finished", agentId, organizationId });
    await acceptInput(deps, runId, "And now?");
    expect(await endFailedExecution(deps, event(runId, {}))).toBe("running");
    expect(await statusOf(runId)).toBe("running");
  });

  test("rejects an event without ids, so that it reaches the dead-letter queue", async () => {
    await expect(endFailedExecution(deps, event("x", { input: null }))).rejects.toThrow("has no run");
  });
});

describe("sweep", () => {
  test("ends a run whose execution never started and whose failure was not recorded", async () => {
    const accounts = stores.accounts;
    const [organizationId, agentId] = ["o", "6affadb2-0000-4000-8000-000000000000"];
    await accounts.createOrganization({ id: organizationId, name: "O", model: { provider: "demo", enabled: true } });
    const limits = { steps: 1, tokens: 1, seconds: 1 };
    const agent = { id: agentId, organizationId, name: "A", instructions: "", tools: [], limits };
    await accounts.createAgent({ ...agent, status: "active" });
    let id = "";
    const flaky: Runs = {
      ...runs,
      create(run, messages) {
        id = run.id;
        return runs.create(run, messages);
      },
      change: () => Promise.reject(new StoreUnavailable("down")),
    };
    const broken = { ...workflow, start: () => Promise.reject(new StoreUnavailable("down")) };
    const create = createRun(
      { ...stores, runs: flaky, workflow: broken, now, secretRefusal: () => undefined },
      { agentId, organizationId },
      { name: "n", text: "Hello?" },
    );
    await expect(create).rejects.toThrow("down");
    expect(await statusOf(id)).toBe("running");

    expect(await sweep(deps)).toMatchObject({ running: 1, ended: 0 }); // its execution may be about to start
    later();
    expect(await sweep(deps)).toMatchObject({ running: 1, ended: 1 });
    expect([await statusOf(id), await reasonOf(id)]).toEqual(["technical_error", "The turn could not be started."]);
    expect(await sweep(deps)).toMatchObject({ running: 0, ended: 0 });
  });

  test("ends runs whose execution ended without a final status", async () => {
    const [failed, succeeded] = [await running(), await running()];
    known.set(`${failed}-1`, { ended: "failed", error: "States.Runtime" });
    known.set(`${succeeded}-1`, { ended: "succeeded" });
    later();
    expect((await sweep(deps)).ended).toBe(2);
    expect(await reasonOf(failed)).toContain("States.Runtime");
    expect(await reasonOf(succeeded)).toContain("no final status");
  });

  test("keeps a later turn of a running execution, and ends a later turn of an aborted one", async () => {
    const [atWork, aborted, unstarted] = [
      await running({ turn: 3 }),
      await running({ turn: 3 }),
      await running({ turn: 2 }),
    ];
    known.set(`${atWork}-1`, { ended: undefined });
    known.set(`${aborted}-1`, { ended: "aborted" });
    known.set(`${unstarted}-1`, { ended: "succeeded" });
    later();
    expect((await sweep(deps)).ended).toBe(2);
    expect(await statusOf(atWork)).toBe("running");
    expect(await reasonOf(aborted)).toContain("aborted");
    expect(await reasonOf(unstarted)).toBe("The turn could not be started.");
  });

  test("starts a run that has waited only if it has no execution", async () => {
    const [aborted, unstarted] = [await running({ turn: 2 }), await running()];
    known.set(`${aborted}-1`, { ended: "aborted" });
    later();
    const waited: Runs = {
      ...runs,
      listRunning: async () => (await runs.listRunning()).map((run) => Object.assign(run, { waiting: false })),
    };
    const started: string[] = [];
    const starting = { ...workflow, start: async (runId: string) => void started.push(runId) };
    expect((await sweep({ ...deps, runs: waited, workflow: starting })).ended).toBe(1);
    expect(await reasonOf(aborted)).toContain("aborted");
    expect(started).toEqual([unstarted]);
  });

  test("starts a turn that has paused and has no execution since, and ends a new turn of a run that paused before", async () => {
    const [answered, unstarted] = [await running(), await running({ turn: 2 })];
    known.set(`${unstarted}-1`, { ended: "succeeded" }); // that of the answer in the turn before
    later();
    const paused: Runs = {
      ...runs,
      listRunning: async () => (await runs.listRunning()).map((run) => Object.assign(run, { pauses: 1 })),
    };
    const started: string[] = [];
    const starting = { ...workflow, start: async (runId: string) => void started.push(runId) };
    expect((await sweep({ ...deps, runs: paused, workflow: starting })).ended).toBe(1);
    expect(started).toEqual([answered]);
    expect([await statusOf(answered), await reasonOf(unstarted)]).toEqual([
      "running",
      "The turn could not be started.",
    ]);
  });

  test("keeps a run whose running execution is missing in the list", async () => {
    const runId = await running();
    known.set(`${runId}-1`, { ended: undefined });
    later();
    const lagging: Executions = { ...executions, runningRuns: async () => new Set() };
    expect(await sweep({ ...deps, executions: lagging })).toMatchObject({ running: 1, ended: 0 });
  });

  test("ends a run past its deadline at the limit, and stops its execution", async () => {
    const runId = await running({ turn: 2 });
    known.set(`${runId}-1`, { ended: undefined });
    clock = begun + turnSeconds * 1_000 + 10 * minute;
    expect((await sweep(deps)).ended).toBe(1);
    expect((await runs.read(runId))?.run.failure?.category).toBe("limit");
    expect(stopped).toEqual([`${runId}-1`]);
  });

  test("checks the other runs after an error, and reports the error", async () => {
    const ids = [await running(), await running(), await running()];
    later();
    const flaky: Executions = {
      ...executions,
      find: (run) => (run.id === ids[1] ? Promise.reject(new StoreUnavailable("throttled")) : executions.find(run)),
    };
    await expect(sweep({ ...deps, executions: flaky })).rejects.toThrow("1 runs could not be checked");
    expect(await Promise.all(ids.map(statusOf))).toEqual(["technical_error", "running", "technical_error"]);
  });
});
