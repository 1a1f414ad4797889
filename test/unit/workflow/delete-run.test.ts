import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Model } from "../../../src/agent/model.ts";
import type { Workspace } from "../../../src/runs/ports.ts";
import { acceptInput, deleteRun, stopRun } from "../../../src/runs/control/control-run.ts";
import { failTurn, notStarted } from "../../../src/runs/turn-writes.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { externalWorkflow, startRunner } from "../../../src/platform/local/workflow.ts";
import { newRun, putAgent } from "../../support/scripted-runs.ts";
import { pause } from "../../../src/async/backoff.ts";
import { fastClock } from "../../support/fast-clock.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

// A worker checks every 2 s whether its run was stopped. Deleting a run waits for that.
beforeAll(() => {
  const clock = fastClock();
  return () => clock[Symbol.dispose]();
});

const names = Array.from({ length: 16 }, (_, index) => `file-${index}.txt`);

/** A model that writes all files in one answer. */
const writer: Model = async () => ({
  answer: {
    text: "",
    toolCalls: names.map((name) => ({ id: name, name: "write_file", input: { name, content: `secret of ${name}` } })),
    finishReason: "tool-calls",
    usage: { inputTokens: 1, outputTokens: 1 },
  },
});

const openModel = async () => ({ model: writer, name: "m", provider: "p" });

/** A run whose agent writes the files one after another, in 4.8 s. `first` resolves when the first write starts. */
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
      await pause(300);
      await stores.workspace.write(...written);
    },
  };
  const deps = { ...stores, workspace, openModel, now: Date.now, secretOf: async () => undefined };
  return { stores, deps, runId, first: first.promise };
}

test.concurrent("deleting a run while its agent writes files removes all files", async () => {
  const { stores, deps, runId, first } = await writing();
  using _ = stores;
  const workflow = startRunner(deps);
  await workflow.start(runId, 1);
  await first;
  await deleteRun({ ...deps, workflow }, runId);
  await pause(2_000);
  await workflow.close();
  expect(existsSync(join(stores.dataDir, "workspaces", runId))).toBe(false);
});

test.concurrent.each(["running", "terminated"])(
  "deleting a %s run from another process while its agent writes files removes all files",
  async (status) => {
    const { stores, deps, runId, first } = await writing();
    using _ = stores;
    const working = advance(deps, { runId, turn: 1 }, { signal: new AbortController().signal, deadline: Infinity });
    await first;
    const here = { ...stores, workflow: externalWorkflow, now: Date.now };
    if (status === "terminated") await stopRun(here, runId);
    await deleteRun(here, runId);
    await working;
    await pause(2_000);
    expect(existsSync(join(stores.dataDir, "workspaces", runId))).toBe(false);
  },
);

/** Deletes a run after `meanwhile` has changed it between the first read and the write that follows. */
async function deleteAfterRead(
  deps: Parameters<typeof deleteRun>[0],
  runId: string,
  meanwhile: () => Promise<unknown>,
) {
  let change: typeof meanwhile | undefined = meanwhile;
  const runs = {
    ...deps.runs,
    async read(id: string) {
      const found = await deps.runs.read(id);
      const once = change;
      change = undefined;
      await once?.();
      return found;
    },
  };
  return deleteRun({ ...deps, runs }, runId);
}

test.concurrent("deleting an idle run removes the files of a turn that starts during the deletion", async () => {
  const { stores, deps, runId, first } = await writing();
  using _ = stores;
  const { signal } = new AbortController();
  const set = { status: "finished", turn: 1, updatedAt: Date.now() } as const;
  await stores.runs.change({ runId, expect: { status: "running", turn: 1 }, set });
  const here = { ...stores, workflow: externalWorkflow, now: Date.now };
  let working: Promise<unknown> | undefined;
  await deleteAfterRead(here, runId, async () => {
    await acceptInput(here, runId, "Go on.");
    working = advance(deps, { runId, turn: 2 }, { signal, deadline: Infinity });
    await first;
  });
  await working;
  await pause(2_000);
  expect(existsSync(join(stores.dataDir, "workspaces", runId))).toBe(false);
});

test.concurrent("deletes a run that fails during the deletion", async () => {
  const { stores, runId } = await writing();
  using _ = stores;
  const here = { ...stores, workflow: externalWorkflow, now: Date.now };
  const deleted = await deleteAfterRead(here, runId, () =>
    failTurn({ ...stores, now: Date.now }, { runId, turn: 1 }, notStarted),
  );
  expect(deleted).toEqual((await stores.runs.read(runId))?.run);
  expect(deleted).toMatchObject({ status: "terminated", name: "" });
  expect(deleted).not.toHaveProperty("failure");
});
