import { expect, test } from "vitest";
import type { Delivery } from "../../src/runs/deliveries.ts";
import type { Run } from "../../src/runs/run-types.ts";
import { temporaryStores } from "../support/temporary-stores.ts";
import { created, onTurn } from "./run-fixtures.ts";

test("deliveries go with their run, those to be sent after their last attempt", async () => {
  using stores = temporaryStores();
  const { runs, deliveries } = stores;
  const idsOf = async ({ agentId }: Run): Promise<string[]> =>
    (await deliveries.list({ agentId, limit: 10 })).deliveries.map(({ messageId }) =>
      messageId.replace(/^msg_\w{32}_/, ""),
    );
  const sent = async (run: Run): Promise<void> => {
    const [newest] = (await deliveries.list({ agentId: run.agentId, limit: 1 })).deliveries;
    const { nextAttemptAt: _, ...delivery } = newest as Delivery;
    const lastAttempt = { at: 9, status: 200, milliseconds: 1 };
    expect(await deliveries.recordAttempt({ ...delivery, attempts: 1, state: "delivered", lastAttempt })).toBe(true);
  };
  const finished = async (): Promise<Run> => {
    const run = await created(runs, { webhook: "agent" });
    const set = { status: "finished", turn: 1, updatedAt: 2 } as const;
    expect(await runs.change({ ...onTurn(run), set })).toBe(true);
    await sent(run);
    return { ...run, ...set };
  };
  const [run, other] = [await finished(), await finished()];
  const set = { status: "terminated", turn: 1, updatedAt: 3 } as const;
  expect(await runs.change({ ...onTurn(run), set })).toBe(true);
  expect(await idsOf(run)).toEqual(["1_terminated", "1_finished"]);

  expect(await runs.erase(run.id)).toBe(true);
  expect(await idsOf(run)).toEqual(["1_terminated"]);
  await sent(run);
  expect(await idsOf(run)).toEqual([]);
  expect(await idsOf(other)).toEqual(["1_finished"]);
});
