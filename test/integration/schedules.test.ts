import { randomUUID } from "node:crypto";
import fc from "../support/properties.ts";
import { expect, test } from "vitest";
import type { Stores } from "../../src/runs/ports.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { quotaEvent, walkQuotas } from "./quota-schedules.ts";
import { event, walk } from "./schedules.ts";
import { temporaryStores } from "../support/temporary-stores.ts";

async function holds(stores: () => Stores, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(event, { maxLength: 8 }), async (scheduler, events) => {
      expect(await walk(stores(), randomUUID(), events, scheduler)).toEqual([]);
    }),
    { numRuns },
  );
}

async function quotasHold(stores: () => Stores & Disposable, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(quotaEvent, { maxLength: 14 }), async (scheduler, events) => {
      using opened = stores();
      expect(await walkQuotas(opened, events, scheduler)).toEqual([]);
    }),
    { numRuns },
  );
}

/** Random schedules of two workers on each platform. */
const schedules = { local: 100, aws: 60, quotas: 60 };

const title = "two workers with random crashes, stops, inputs and clock jumps break no rule:";

test(`${title} local platform`, async () => {
  using stores = temporaryStores();
  await holds(() => stores, schedules.local);
});

test(`${title} AWS platform`, async () => {
  await holds(() => fakeAwsStores(), schedules.aws);
});

const quotas = "processes that die between any two calls neither exceed quotas nor leave runs waiting or unreported:";

test(`${quotas} local platform`, async () => {
  await quotasHold(temporaryStores, schedules.quotas);
});

test(`${quotas} AWS platform`, async () => {
  await quotasHold(() => Object.assign(fakeAwsStores(), { [Symbol.dispose]: () => {} }), schedules.quotas);
});
