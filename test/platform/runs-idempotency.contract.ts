import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { CreateOutcome, Runs } from "../../src/runs/ports.ts";
import { firstMessages, input, newRun, onTurn } from "./run-fixtures.ts";

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

    test("a change keeps the key of its input, and one with a key that is kept changes nothing", async () => {
      const run = newRun();
      const idempotency = { key: newKey(), request, agentId: run.agentId };
      expect(await create(run)).toBe("created");
      const change = (turn: number, text: string) =>
        runs.change({ ...onTurn(run), queue: { add: { turn, text } }, idempotency });
      expect(await change(2, "second")).toBe(true);
      expect(await runs.findCreated(run.agentId, idempotency.key)).toEqual({ runId: run.id, request });
      expect(await change(3, "again")).toBe(false);
      expect((await runs.load(run.id))?.queue).toEqual([{ turn: 2, text: "second" }]);
      const rejected = { key: newKey(), request, agentId: run.agentId };
      const other = { runId: run.id, expect: { status: "finished", turn: 1 }, idempotency: rejected } as const;
      expect(await runs.change({ ...other, queue: { add: { turn: 3, text: "third" } } })).toBe(false);
      expect(await runs.findCreated(run.agentId, rejected.key)).toBeUndefined();
    });

    // A client that sends more at once, as to an emulator, gets no connection in time.
    test("of 200 creates with one key by 50 clients, one is stored, and all others name it", async () => {
      const key = newKey();
      const agentId = randomUUID();
      const clients = Array.from({ length: 50 }, async () => {
        const outcomes: [string, CreateOutcome][] = [];
        for (let count = 0; count < 4; count++) {
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
        Array.from({ length: 199 }, () => replayed),
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
