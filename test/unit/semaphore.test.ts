import { expect, test } from "vitest";
import { semaphore } from "../../src/async/semaphore.ts";

test("runs as many at the same time as there are permits, the others in order", async () => {
  const limited = semaphore(2);
  const started: number[] = [];
  const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const all = ends.map(({ promise }, index) =>
    limited(() => {
      started.push(index);
      return promise;
    }),
  );
  await expect.poll(() => started).toEqual([0, 1]);
  ends[1]?.resolve();
  await expect.poll(() => started).toEqual([0, 1, 2]);
  ends[2]?.resolve();
  await expect.poll(() => started).toEqual([0, 1, 2, 3]);
  for (const { resolve } of ends) resolve();
  await Promise.all(all);
});

test("releases the permit when the work fails, and passes on the error", async () => {
  const limited = semaphore(1);
  const failed = limited(() => Promise.reject(new Error("no")));
  const next = limited(async () => "done");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("done");
});
