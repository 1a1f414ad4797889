import { randomUUID } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { awsRuns } from "../../src/platform/aws/run-store.ts";
import type { Slot } from "../../src/runs/run-types.ts";
import { fakeDocumentClient } from "../support/fake-aws/client.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { newRun } from "./run-fixtures.ts";
import { describeQuotas } from "./runs-quotas.contract.ts";

describeQuotas(async () => fakeAwsStores().runs);

afterEach(() => vi.useRealTimers());

test("counts that damage from outside has made wrong are corrected once they are settled", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { documents, items } = fakeDocumentClient();
  const runs = awsRuns({ documents, table: "T", objects: () => Promise.reject(new Error("no objects")) });
  const owner = { agentId: randomUUID(), organizationId: randomUUID() };
  const slot: Slot = { ...owner, quotas: { scope: "organization", agent: {}, organization: { maxRunning: 2 } } };
  const [kept, lost, waiting] = [newRun(owner), newRun(owner), newRun(owner)];
  for (const run of [kept, lost]) expect(await runs.create(run, [], { slot })).toBe("created");
  expect(await runs.create(waiting, [], { slot: { ...slot, blockedBy: "organization" } })).toBe("created");
  const use = async () => {
    const { agent, organization } = await runs.quotaUse(owner);
    return [agent.running, agent.waiting, organization.running];
  };
  for (const { id } of [lost, waiting]) expect(items.delete(`RUN#${id} HEAD`)).toBe(true);

  expect(await runs.recount()).toBe(0); // the index may lag behind a recent change
  expect(await use()).toEqual([2, 1, 2]);
  vi.advanceTimersByTime(61_000);
  expect(await runs.recount()).toBe(3);
  expect(await use()).toEqual([1, 0, 1]);
  vi.advanceTimersByTime(61_000);
  expect(await runs.recount()).toBe(0);
});

test("a wrong count of running runs is corrected while creates wait for it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { documents, items } = fakeDocumentClient();
  const runs = awsRuns({ documents, table: "T", objects: () => Promise.reject(new Error("no objects")) });
  const owner = { agentId: randomUUID(), organizationId: randomUUID() };
  const slot: Slot = { ...owner, quotas: { scope: "agent", agent: { maxRunning: 1 }, organization: {} } };
  const lost = newRun(owner);
  expect(await runs.create(lost, [], { slot })).toBe("created");
  expect(items.delete(`RUN#${lost.id} HEAD`)).toBe(true);
  vi.advanceTimersByTime(61_000);
  expect(await runs.create(newRun(owner), [], { slot: { ...slot, blockedBy: "agent" } })).toBe("created");
  expect(await runs.recount()).toBe(1);
  expect((await runs.quotaUse(owner)).agent).toMatchObject({ running: 0, waiting: 1 });
});

test("runs of an agent with a quota start and end while others do, although their transactions conflict", async () => {
  const { runs } = fakeAwsStores(undefined, { delay: 2, conflicts: true });
  const owner = { agentId: randomUUID(), organizationId: randomUUID() };
  const slot: Slot = { ...owner, quotas: { scope: "agent", agent: { maxRunning: 3 }, organization: {} } };
  async function oneRun(): Promise<boolean> {
    const run = newRun(owner);
    if ((await runs.create(run, [], { slot })) !== "created") return false;
    const set = { status: "finished", turn: 1, updatedAt: run.updatedAt } as const;
    for (;;)
      if (await runs.change({ runId: run.id, expect: { status: "running", turn: 1 }, set }).catch(() => false)) break;
    return true;
  }
  const ended = await Promise.all(Array.from({ length: 8 }, oneRun));
  expect(ended.filter(Boolean).length).toBeGreaterThanOrEqual(1);
  expect(await runs.quotaUse(owner)).toMatchObject({ agent: { running: 0 } });
});
