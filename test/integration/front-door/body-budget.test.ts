import fc from "../../support/properties.ts";
import { describe, expect, test, vi } from "vitest";
import { bodyBudget, NoMemory } from "../../../src/api/server/body-budget.ts";

test("bodies are charged for what has come, not for what they announce", async () => {
  const budget = bodyBudget(100, 1_000);
  const shares = Array.from({ length: 50 }, () => budget.open(60));
  for (const share of shares) await share.take(0.5);
  expect(budget.held).toBe(25);
  const [first] = shares;
  await first?.take(59);
  for (const share of shares) share.release();
  expect(budget.held).toBe(0);
});

test("a body waits while it could keep every other from its end, and goes on when one is released", async () => {
  const budget = bodyBudget(100, 1_000);
  const [one, other] = [budget.open(60), budget.open(60)];
  await one.take(50);
  let taken = false;
  const taking = other.take(45).then(() => (taken = true));
  await Promise.resolve();
  expect(taken).toBe(false);
  await one.take(10);
  one.release();
  one.release();
  await taking;
  expect(budget.held).toBe(45);
});

test("a body that is complete needs no more than it has", async () => {
  const budget = bodyBudget(100, 1_000);
  const [one, other] = [budget.open(100), budget.open(60)];
  await one.take(40);
  const taking = other.take(60);
  one.complete();
  await taking;
  expect(budget.held).toBe(100);
});

test("who waits for too long is told so, and can still be released", async () => {
  vi.useFakeTimers();
  const budget = bodyBudget(100, 30_000);
  const [one, other] = [budget.open(100), budget.open(100)];
  await one.take(60);
  const taking = other.take(50).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await taking).toBeInstanceOf(NoMemory);
  other.release();
  await one.take(40);
  vi.useRealTimers();
});

describe("whatever is taken in whatever order", () => {
  const bodies = fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 20,
  });
  test("every body comes to its end, and the budget is never exceeded", async () => {
    await fc.assert(
      fc.asyncProperty(bodies, fc.scheduler(), async (pieces, scheduler) => {
        const total = Math.max(...pieces.map((body) => body.reduce((sum, piece) => sum + piece)));
        const budget = bodyBudget(total, 60_000);
        const ends = pieces.map(async (body) => {
          const share = budget.open(body.reduce((sum, piece) => sum + piece));
          for (const piece of body) {
            await scheduler.schedule(Promise.resolve());
            await share.take(piece);
            expect(budget.held).toBeLessThanOrEqual(total);
          }
          share.complete();
          await scheduler.schedule(Promise.resolve());
          share.release();
        });
        await scheduler.waitFor(Promise.all(ends));
        expect(budget.held).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
