import { randomUUID } from "node:crypto";
import fc from "../support/properties.ts";
import { expect, test } from "vitest";
import type { Stores } from "../../src/runs/ports.ts";
import { awsHome } from "../support/fake-aws/platform.ts";
import { event, walk } from "./schedules.ts";
import { temporaryStores } from "../support/temporary-stores.ts";

async function holds(home: () => Stores, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(event, { maxLength: 8 }), async (scheduler, events) => {
      expect(await walk(home(), randomUUID(), events, scheduler)).toEqual([]);
    }),
    { numRuns },
  );
}

test("two workers, crashes, stops, inputs and a clock that jumps: one machine", { timeout: 300_000 }, async () => {
  using stores = temporaryStores();
  await holds(() => stores, 150);
});

test("two workers, crashes, stops, inputs and a clock that jumps: AWS", { timeout: 300_000 }, async () => {
  await holds(() => awsHome(), 100);
});
