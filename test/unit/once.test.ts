import { expect, test } from "vitest";
import { once } from "../../src/async/once.ts";

test("work is done once for all callers, and again after it failed", async () => {
  let calls = 0;
  const work = once(async () => {
    if (++calls === 1) throw new Error("first");
    return calls;
  });
  await expect(Promise.all([work(), work()])).rejects.toThrow("first");
  expect(await Promise.all([work(), work()])).toEqual([2, 2]);
  expect(await work()).toBe(2);
});
