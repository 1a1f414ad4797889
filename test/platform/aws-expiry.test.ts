import { expect, test } from "vitest";
import { awsDeliveries } from "../../src/platform/aws/deliveries.ts";
import { awsRuns } from "../../src/platform/aws/run-store.ts";
import { fakeDocumentClient } from "../support/fake-aws/client.ts";
import { messageIdOf } from "../support/delivery-rules.ts";
import { firstMessages, input, newRun, onTurn } from "./run-fixtures.ts";

const idempotency = { key: "k", request: "r" };

/** Stores over one table. DynamoDB deletes expired items late, and the table in memory never does. */
function stores(): Record<"expiring" | "keeping", ReturnType<typeof awsRuns>> & {
  deliveries: ReturnType<typeof awsDeliveries>;
  expiries: () => Set<string | undefined>;
} {
  const { documents, items } = fakeDocumentClient();
  const table = { documents, table: "T", objects: () => Promise.reject(new Error("no objects")) };
  return {
    expiring: awsRuns({ ...table, retentionDays: -1 }),
    keeping: awsRuns({ ...table, retentionDays: 2 }),
    deliveries: awsDeliveries(table),
    expiries: () => new Set([...items.values()].map(({ expiresAt }) => (expiresAt as { N: string } | undefined)?.N)),
  };
}

test("an idempotency key expires with its run and can be used again, before DynamoDB deletes it", async () => {
  const { expiring, keeping } = stores();
  const [old, run] = [newRun(), newRun()];
  run.agentId = old.agentId;
  expect(await expiring.create(old, firstMessages(input(1, "Go.")), { idempotency })).toBe("created");
  expect(await keeping.head(old.id)).toBeUndefined();
  expect(await keeping.findCreated(old.agentId, "k")).toBeUndefined();
  expect(await keeping.create(run, firstMessages(input(1, "Go.")), { idempotency })).toBe("created");
  expect(await keeping.findCreated(run.agentId, "k")).toEqual({ runId: run.id, request: "r" });
});

test("every item of a run with a webhook and a key expires, its delivery with the other items of the change", async () => {
  const { keeping, expiring, deliveries, expiries } = stores();
  const run = newRun({ webhook: "agent" });
  await keeping.create(run, firstMessages(input(1, "Go.")), { idempotency });
  const set = { status: "finished", turn: 1, updatedAt: 9 } as const;
  expect(await expiring.change({ ...onTurn(run), set })).toBe(true);
  expect(expiries()).not.toContain(undefined);
  expect(await deliveries.find(messageIdOf(run, 1, "run.finished"))).toBeUndefined();
});
