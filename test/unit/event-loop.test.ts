import { expect, test } from "vitest";
import { ownIteration } from "../../src/async/event-loop.ts";

test("every caller gets an iteration of the event loop, in order", async () => {
  let iteration = 0;
  const progress = { done: false };
  const count = (): void => {
    iteration++;
    if (!progress.done) setImmediate(count);
  };
  count();
  const iterations = await Promise.all([1, 2, 3].map(() => ownIteration().then(() => iteration)));
  progress.done = true;
  const [first = 0] = iterations;
  expect(iterations).toEqual([first, first + 1, first + 2]);
});
