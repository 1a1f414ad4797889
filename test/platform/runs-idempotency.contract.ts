import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Runs } from "../../src/runs/ports.ts";
import { firstMessages, input, newRun } from "./run-fixtures.ts";

const request = "a".repeat(64);

/** Contract tests of idempotency keys. `open` is called once. */
export function describeIdempotency(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  const create = (run = newRun(), more: Parameters<Runs["create"]>[2] = {}) =>
    runs.create(run, firstMessages(input(1, "first")), more);

  describe("idempotency keys", () => {
    test("a second create with the key of an agent stores nothing and names the first", async () => {
      const [first, second] = [newRun(), newRun()];
      const key = newKey();
      second.agentId = first.agentId;
      expect(await runs.findCreated(first.agentId, key)).toBeUndefined();
      expect(await create(first, { idempotency: { key, request } })).toBe("created");
      const replayed = { runId: first.id, request };
      const other = { key, request: "b".repeat(64) };
      expect(await create(second, { idempotency: other })).toEqual({ replayed });
      expect(await runs.head(second.id)).toBeUndefined();
      expect(await runs.findCreated(first.agentId, key)).toEqual(replayed);
    });

    test("keys of different agents and different keys of an agent are independent", async () => {
      const [first, second, third] = [newRun(), newRun(), newRun()];
      third.agentId = first.agentId;
      const key = newKey();
      expect(await create(first, { idempotency: { key, request } })).toBe("created");
      expect(await create(second, { idempotency: { key, request } })).toBe("created");
      expect(await create(third, { idempotency: { key: newKey(), request } })).toBe("created");
    });

    test(
      "of 1,000 concurrent creates with one key, one is stored, and all others name it",
      { timeout: 60_000 },
      async () => {
        const key = newKey();
        const agentId = randomUUID();
        const all = Array.from({ length: 1_000 }, () => newRun({ agentId }));
        const outcomes = await Promise.all(all.map((run) => create(run, { idempotency: { key, request } })));
        const { runId } = (await runs.findCreated(agentId, key)) ?? {};
        const expected = all.map(({ id }) => (id === runId ? "created" : { replayed: { runId, request } }));
        expect(outcomes).toEqual(expected);
        expect((await runs.list({ agentIds: [agentId], limit: 10 })).runs.map(({ id }) => id)).toEqual([runId]);
      },
    );

    test("a create that gets no slot does not use up its key", async () => {
      const run = newRun();
      const { agentId, organizationId } = run;
      const quotas = { scope: "agent", agent: { maxRunning: 1 }, organization: {} } as const;
      const slot = { agentId, organizationId, quotas };
      const idempotency = { key: newKey(), request };
      expect(await create(newRun({ agentId, organizationId }), { slot })).toBe("created");
      expect(await create(run, { slot, idempotency })).toBe("no_slot");
      expect(await runs.findCreated(agentId, idempotency.key)).toBeUndefined();
      expect(await create(run, { slot: { ...slot, blockedBy: "agent" }, idempotency })).toBe("created");
      const again = newRun({ agentId, organizationId });
      expect(await create(again, { slot, idempotency })).toEqual({ replayed: { runId: run.id, request } });
    });
  });
}

function newKey(): string {
  return randomUUID().replaceAll("-", "").repeat(2);
}
