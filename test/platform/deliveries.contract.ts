import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Delivery } from "../../src/runs/deliveries.ts";
import type { Stores } from "../../src/runs/ports.ts";

type DeliveryStores = Pick<Stores, "accounts" | "deliveries">;

/** Contract tests of the attempts and the lists of deliveries. `open` is called once. */
export function describeDeliveryStore(open: () => Promise<DeliveryStores>): void {
  describe("store of deliveries", () => {
    let { accounts, deliveries }: DeliveryStores = {} as DeliveryStores;
    beforeAll(async () => {
      ({ accounts, deliveries } = await open());
    });

    test("an added delivery reads back, with the audit of the operator who sends it again", async () => {
      const delivery = newDelivery();
      const audit = { at: Date.now(), actor: "mira", action: "delivery.resend", id: delivery.id } as const;
      expect(await deliveries.find(delivery.id)).toBeUndefined();
      await deliveries.add(delivery, { audit });
      expect(await deliveries.find(delivery.id)).toEqual(delivery);
      expect(await accounts.listAudit({ since: audit.at, limit: 1_000 })).toContainEqual(audit);
    });

    test("an attempt is recorded once, by the sender that knows the number of attempts", async () => {
      const delivery = newDelivery();
      const { id, nextAttemptAt: _, ...ended } = delivery;
      await deliveries.add(delivery);
      const failed: Delivery = {
        ...delivery,
        attempts: 1,
        nextAttemptAt: 1_763_000_005_000,
        lastAttempt: { at: 1_763_000_000_000, status: 500, problem: "the status is not 2xx", milliseconds: 12 },
      };
      const outcomes = await Promise.all([1, 2, 3].map(() => deliveries.recordAttempt(failed)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await deliveries.find(id)).toEqual(failed);
      const delivered: Delivery = {
        ...ended,
        id,
        attempts: 2,
        state: "delivered",
        lastAttempt: { at: 1_763_000_005_001, status: 204, milliseconds: 0 },
      };
      expect(await deliveries.recordAttempt({ ...delivered, attempts: 3 })).toBe(false);
      expect(await deliveries.recordAttempt(delivered)).toBe(true);
      expect(await deliveries.find(id)).toEqual(delivered);
      expect(await deliveries.recordAttempt({ ...delivered, id: randomUUID() })).toBe(false);
    });

    test("the deliveries of an agent are listed newest first, page by page, also those of the same time", async () => {
      const agentId = randomUUID();
      const stored = [30, 10, 20, 20, 20].map((offset) => newDelivery({ agentId, at: 1_763_000_000_000 + offset }));
      for (const each of stored) await deliveries.add(each);
      await deliveries.add(newDelivery());
      const newestFirst = stored.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
      expect(await listed(agentId, 2)).toEqual(newestFirst);
      expect(await listed(agentId, 100)).toEqual(newestFirst);
      expect((await deliveries.list({ agentId: randomUUID(), limit: 10 })).deliveries).toEqual([]);
    });

    test("the deliveries to one endpoint are listed page by page, without those to others", async () => {
      const agentId = randomUUID();
      const fields = [{}, { endpointId: "ep_b" }, { destination: "a.example" }, { endpointId: "ep_c" }];
      const stored = [...fields, ...fields, ...fields].map((each, index) =>
        newDelivery({ agentId, at: 1_763_000_000_000 + index, ...each }),
      );
      for (const each of stored) await deliveries.add(each);
      const newestFirst = stored.toReversed();
      expect(await listed(agentId, 2, "ep_b")).toEqual(newestFirst.filter(({ endpointId }) => endpointId === "ep_b"));
      const toFirst = newestFirst.filter((each) => each.endpointId === undefined && each.destination === undefined);
      expect(await listed(agentId, 2, "first")).toEqual(toFirst);
      expect(await listed(agentId, 100, "ep_d")).toEqual([]);
      expect(await listed(agentId, 5)).toEqual(newestFirst);
    });

    async function listed(agentId: string, limit: number, endpointId?: string): Promise<Delivery[]> {
      const of = { agentId, limit, ...(endpointId !== undefined && { endpointId }) };
      const found: Delivery[] = [];
      let page = await deliveries.list(of);
      for (found.push(...page.deliveries); page.next; found.push(...page.deliveries)) {
        expect(page.deliveries.length).toBeLessThanOrEqual(limit);
        page = await deliveries.list({ ...of, after: page.next });
      }
      return found;
    }
  });
}

/** A pending delivery of a new agent. */
export function newDelivery(fields: Partial<Delivery> = {}): Delivery {
  const messageId = `msg_${randomUUID().replaceAll("-", "")}_1_finished`;
  return {
    id: messageId,
    messageId,
    agentId: randomUUID(),
    organizationId: randomUUID(),
    runId: randomUUID(),
    turn: 1,
    type: "run.finished",
    status: "finished",
    at: 1_763_000_000_000,
    attempts: 0,
    state: "pending",
    nextAttemptAt: 1_763_000_000_000,
    ...fields,
  };
}
