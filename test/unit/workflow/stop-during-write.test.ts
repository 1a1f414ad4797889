import { afterAll, expect, test } from "vitest";
import type { Model } from "../../../src/agent/model.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import type { Run, RunChange } from "../../../src/runs/run-types.ts";
import type { Runs } from "../../../src/runs/ports.ts";
import { stopRun } from "../../../src/runs/control/control-run.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { endFailedExecution } from "../../../src/workflow/reconcile.ts";
import { externalWorkflow } from "../../../src/platform/local/workflow.ts";
import { firstMessages, input, newRun } from "../../platform/run-fixtures.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const stores = temporaryStores();
afterAll(() => stores[Symbol.dispose]());

/** A new run of an agent that lists files. */
async function storedRun(): Promise<Run> {
  const run = newRun({ createdAt: Date.now(), updatedAt: Date.now() });
  await stores.accounts.createOrganization({
    id: run.organizationId,
    name: "O",
    model: { provider: "demo", enabled: true },
  });
  await stores.accounts.createAgent({
    id: run.agentId,
    organizationId: run.organizationId,
    name: "A",
    instructions: "",
    tools: ["list_files"],
    limits: { steps: 5, tokens: 10_000, seconds: 60 },
    status: "active",
  });
  const content = Buffer.from("Hello.");
  const sha256 = sha256Of(content);
  await stores.workspace.write(run.id, [{ sha256, content }]);
  const uploads = [{ name: "a.txt", size: content.length, sha256 }];
  await stores.runs.create(run, firstMessages(input(1, "What is in the files?")), { uploads });
  return run;
}

const writes = [
  ["a step", (change: RunChange) => change.entries !== undefined && change.set === undefined],
  ["the turn's end", (change: RunChange) => change.set?.status === "finished"],
] as const;

test.each(writes)("a run stopped while advance writes %s stays terminated, without an output", async (_, at) => {
  const run = await storedRun();
  let stopped = false;
  const runs: Runs = {
    ...stores.runs,
    async change(change) {
      if (at(change) && !stopped) {
        stopped = true;
        await stopRun({ ...stores, workflow: externalWorkflow, now: Date.now }, run.id);
      }
      return stores.runs.change(change);
    },
  };
  const deps = { ...stores, runs, now: Date.now, secretOf: async () => undefined };
  const turn = { runId: run.id, turn: 1 };
  const budget = { signal: new AbortController().signal, deadline: Infinity };
  expect(await advance(deps, turn, budget)).toEqual({ done: false, turn: 1 });
  expect(await advance(deps, turn, budget)).toEqual({ done: true, turn: 1 });
  expect(stopped).toBe(true);

  // Stopping aborts the execution, for which Step Functions emits an event.
  const detail = { name: `${run.id}-1`, status: "ABORTED" as const, input: JSON.stringify(turn) };
  expect(await endFailedExecution(deps, { detail })).toBe("terminated");
  const { run: after, transcript = [] } = (await stores.runs.read(run.id)) ?? {};
  expect([after?.status, transcript.length]).toEqual(["terminated", 1]);
});

test("a run stopped while advance writes a result closes the connection of the model that was called meanwhile", async () => {
  const run = await storedRun();
  const called = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const runs: Runs = {
    ...stores.runs,
    holds: () => Promise.reject(new Error("the store is unavailable")), // so that only the write can tell
    async change(change) {
      if (change.entries?.some(({ part, step }) => part === "result" && step === 2)) {
        await called.promise;
        await stopRun({ ...stores, workflow: externalWorkflow, now: Date.now }, run.id);
      }
      return stores.runs.change(change);
    },
  };
  const usage = { inputTokens: 1, outputTokens: 1 };
  const toolCalls = [{ id: "1", name: "list_files", input: {} }];
  const model: Model = ({ messages, signal }) => {
    if (messages.filter(({ role }) => role === "assistant").length < 2)
      return Promise.resolve({ answer: { text: "", toolCalls, finishReason: "tool-calls", usage } });
    called.resolve();
    signal.addEventListener("abort", () => closed.resolve());
    return new Promise(() => {});
  };
  const openModel = async () => ({ model, name: "m", provider: "p" });
  const deps = { ...stores, runs, now: Date.now, secretOf: async () => undefined, openModel };
  const budget = { signal: new AbortController().signal, deadline: Infinity };
  expect(await advance(deps, { runId: run.id, turn: 1 }, budget)).toEqual({ done: false, turn: 1 });
  await closed.promise;
});
