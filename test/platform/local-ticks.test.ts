import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTick } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import type { Run } from "../../src/runs/types.ts";
import { temporaryStores } from "../support/temporary-stores.ts";
import { created, firstMessages, input, newRun, numbered, onTurn, output } from "./run-fixtures.ts";

const stores = temporaryStores();
const { runs } = stores;
afterAll(() => stores[Symbol.dispose]());

async function running(): Promise<Run> {
  const run = await created(runs);
  await nextTick();
  return run;
}

const finish = (run: Run): Promise<boolean> =>
  runs.change({
    ...onTurn(run),
    set: { status: "finished", turn: 1, updatedAt: 2 },
    ...numbered(1, { messages: [output(1, "done")] }),
  });

const poll = (run: Run, agentId = run.agentId) =>
  runs.open(run.id, Promise.resolve({ agentId, organizationId: run.organizationId }));

test("a poll sees the end of a turn that is about to be written", async () => {
  const run = await running();
  const finishing = finish(run);
  expect(await poll(run)).toMatchObject({
    run: { status: "finished" },
    transcript: [{ text: "first" }, { text: "done" }],
  });
  expect(await finishing).toBe(true);
});

test("a poll of another agent does not wait for it", async () => {
  const run = await running();
  const finishing = finish(run);
  let written = false;
  const noted = finishing.then(() => (written = true));
  expect(await poll(run, "another agent")).toBeUndefined();
  expect(written).toBe(false);
  await noted;
});

test("a poll does not wait while another process locks the database", async () => {
  const run = await running();
  const other = new DatabaseSync(join(stores.dataDir, "runs.sqlite"));
  other.exec("BEGIN IMMEDIATE");
  const finishing = finish(run);
  expect(await poll(run)).toMatchObject({ run: { status: "running" } });
  other.exec("COMMIT");
  other.close();
  expect(await finishing).toBe(true);
  expect(await poll(run)).toMatchObject({ run: { status: "finished" } });
});

test("a run that changes in the commit of its create is loaded as changed, and not claimed", async () => {
  const run = newRun();
  const creating = runs.create(run, firstMessages(input(1, "first")));
  const set = { status: "terminated", turn: 1, updatedAt: 2 } as const;
  const ending = runs.change({ ...onTurn(run), set });
  await creating;
  expect(await runs.load(run.id)).toMatchObject({ run: { status: "terminated" } });
  expect(await runs.claim({ runId: run.id, owner: "worker", now: 1, until: 2 })).toBeUndefined();
  expect(await ending).toBe(true);
});
