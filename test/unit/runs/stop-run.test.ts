import { expect, test } from "vitest";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import { stopRun } from "../../../src/runs/control/control-run.ts";
import type { Stores } from "../../../src/runs/ports.ts";
import type { Run } from "../../../src/runs/run-types.ts";
import { externalWorkflow } from "../../../src/platform/local/workflow.ts";
import { firstMessages, input, newRun } from "../../platform/run-fixtures.ts";
import { platforms } from "../../support/platforms.ts";

const startedAt = 1_763_000_000_000;

/** Creates a run and stops it 2,526 ms after its turn started. */
async function stopped(stores: Stores, fields: Partial<Run>): Promise<Run> {
  const run = newRun({ createdAt: startedAt, updatedAt: startedAt, ...fields });
  await stores.runs.create(run, run.turn === 0 ? [] : firstMessages(input(1, "Work.")));
  const after = await stopRun({ ...stores, workflow: externalWorkflow, now: () => startedAt + 2_526 }, run.id);
  const head = await stores.runs.head(run.id);
  expect([head?.status, head?.used]).toEqual(["terminated", after.used]);
  return after;
}

test.each(platforms)("the time of a stopped turn counts (%s)", async (_, open) => {
  expect((await stopped(open(), {})).used).toEqual({ ...noUsage, milliseconds: 2_526 });
});

test.each(platforms)("an idle run that is stopped has worked no longer (%s)", async (_, open) => {
  expect((await stopped(open(), { status: "finished", turn: 0 })).used?.milliseconds ?? 0).toBe(0);
});
