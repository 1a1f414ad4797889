import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Model } from "../../../src/agent/model.ts";
import type { Workspace } from "../../../src/runs/ports.ts";
import { deleteRun, stopRun } from "../../../src/runs/control-run.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { externalWorkflow, startRunner } from "../../../src/platform/local/workflow.ts";
import { newRun, putAgent } from "../../integration/faults/scripted-runs.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const names = Array.from({ length: 16 }, (_, index) => `file-${index}.txt`);

/** Asks for all files to be written, in one answer. */
const writer: Model = async () => ({
  answer: {
    text: "",
    toolCalls: names.map((name) => ({ id: name, name: "write_file", input: { name, content: "secret" } })),
    finishReason: "tool-calls",
    usage: { inputTokens: 1, outputTokens: 1 },
  },
});

const openModel = async () => ({ model: writer, name: "m", provider: "p" });

/** A run whose agent writes files, 4.8 s for all, one after another. `first` resolves when the first is being written. */
async function writing() {
  const stores = temporaryStores();
  await putAgent(stores);
  const runId = randomUUID();
  await newRun(stores, runId, Date.now(), "Go.");
  const first = Promise.withResolvers<undefined>();
  const workspace: Workspace = {
    ...stores.workspace,
    async write(...written) {
      first.resolve(undefined);
      await setTimeout(300);
      await stores.workspace.write(...written);
    },
  };
  const deps = { ...stores, workspace, openModel, now: Date.now, secretOf: async () => undefined };
  return { stores, deps, runId, first: first.promise };
}

test.concurrent("a run that is deleted while its agent writes files has none, then and later", async () => {
  const { stores, deps, runId, first } = await writing();
  using _ = stores;
  const workflow = startRunner(deps);
  await workflow.start(runId, 1);
  await first;
  await deleteRun({ ...deps, workflow }, runId);
  await setTimeout(2_000);
  await workflow.close();
  expect(await stores.workspace.list(runId)).toEqual([]);
});

test.concurrent.each(["running", "terminated"])(
  "so has one that was %s, and is deleted from another process",
  async (status) => {
    const { stores, deps, runId, first } = await writing();
    using _ = stores;
    const working = advance(deps, { runId, turn: 1 }, { signal: new AbortController().signal, deadline: Infinity });
    await first;
    const here = { ...stores, workflow: externalWorkflow, now: Date.now };
    if (status === "terminated") await stopRun(here, runId);
    await deleteRun(here, runId);
    await working;
    await setTimeout(2_000);
    expect(await stores.workspace.list(runId)).toEqual([]);
  },
);
