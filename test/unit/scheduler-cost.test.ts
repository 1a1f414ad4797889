import { Session } from "node:inspector/promises";
import { expect, test } from "vitest";
import { scheduler } from "../../src/async/scheduler.ts";

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How often the blocks of the scheduler's code run in 50 arrivals and 50 ends, while so many owners wait. */
async function blocksRun(session: Session, waiting: number): Promise<number> {
  const shared = scheduler({ places: 4 });
  const ends: (() => void)[] = [];
  const add = (organization: string): void =>
    void shared.run([organization, "agent"], () => new Promise<void>((resolve) => ends.push(resolve)));
  for (let n = 0; n < 4 + waiting; n++) add(`before ${n}`);
  await settle();
  expect(ends).toHaveLength(4);
  await session.post("Profiler.takePreciseCoverage"); // starts the counts anew
  for (let n = 0; n < 50; n++) {
    add(`arrival ${n}`);
    ends.shift()?.();
    await settle();
  }
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const functions = result.filter(({ url }) => url.endsWith("/async/scheduler.ts")).flatMap((file) => file.functions);
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}

test("an arrival and an end cost the same with 10,000 waiting owners as with 100", async () => {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const few = await blocksRun(session, 100);
  const many = await blocksRun(session, 10_000);
  session.disconnect();
  // V8 leaves out some blocks of optimized functions, so the counts are not exact: some 1,000 each. A look at every owner runs a block 500,000 times.
  expect(few).toBeGreaterThan(100);
  expect(many).toBeLessThan(10 * few);
});
