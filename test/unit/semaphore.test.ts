import { expect, test } from "vitest";
import { semaphore } from "../../src/async/semaphore.ts";

test("as many work at the same time as there are places, the others in the order they came", async () => {
  const places = semaphore(2);
  const begun: number[] = [];
  const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const all = ends.map(({ promise }, index) =>
    places(() => {
      begun.push(index);
      return promise;
    }),
  );
  await expect.poll(() => begun).toEqual([0, 1]);
  ends[1]?.resolve();
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  ends[2]?.resolve();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  for (const { resolve } of ends) resolve();
  await Promise.all(all);
});

test("work that fails gives its place back, and its error to whoever asked for it", async () => {
  const places = semaphore(1);
  const failed = places(() => Promise.reject(new Error("no")));
  const next = places(async () => "done");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("done");
});
