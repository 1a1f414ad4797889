import { randomUUID } from "node:crypto";
import fc from "../support/properties.ts";
import { expect, test } from "vitest";
import type { Stores } from "../../src/runs/ports.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
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

/** Runs random schedules of two workers on each platform. `schedules`: how many. */
export function testSchedules(schedules: { local: number; aws: number }): void {
  const title = "two workers with random crashes, stops, inputs and clock jumps break no rule:";

  test(`${title} local platform`, async () => {
    using stores = temporaryStores();
    await holds(() => stores, schedules.local);
  });

  test(`${title} AWS platform`, async () => {
    await holds(() => fakeAwsStores(), schedules.aws);
  });
}
