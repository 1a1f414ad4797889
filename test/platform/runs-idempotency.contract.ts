import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { CreateOutcome, Runs } from "../../src/runs/ports.ts";
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

    // A client that sends more at once, as to an emulator, gets no connection in time.
    test("of 1,000 creates with one key by 50 clients, one is stored, and all others name it", async () => {
      const key = newKey();
      const agentId = randomUUID();
      const clients = Array.from({ length: 50 }, async () => {
        const outcomes: [string, CreateOutcome][] = [];
        for (let count = 0; count < 20; count++) {
          const run = newRun({ agentId });
          outcomes.push([run.id, await create(run, { idempotency: { key, request } })]);
        }
        return outcomes;
      });
      const outcomes = (await Promise.all(clients)).flat();
      const { runId = "" } = (await runs.findCreated(agentId, key)) ?? {};
      const replayed = { replayed: { runId, request } };
      expect(outcomes.filter(([, outcome]) => outcome === "created")).toEqual([[runId, "created"]]);
      expect(outcomes.filter(([id]) => id !== runId).map(([, outcome]) => outcome)).toEqual(
        Array.from({ length: 999 }, () => replayed),
      );
      expect((await runs.list({ agentIds: [agentId], limit: 10 })).runs.map(({ id }) => id)).toEqual([runId]);
    });

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
