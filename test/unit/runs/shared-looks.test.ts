import { expect, test } from "vitest";
import { sharedLooks } from "../../../src/runs/read/shared-looks.ts";
import type { Run } from "../../../src/runs/types.ts";

/** Reads that end when the test says, each with another sequence. */
function heldReads() {
  const reads: (() => void)[] = [];
  const looks = sharedLooks({
    head: (id) =>
      new Promise((resolve) => {
        const sequence = reads.length + 1;
        reads.push(() => resolve({ id, sequence } as Run));
      }),
  });
  return { reads, looks };
}

test("watches that look at the same moment share a read, of one run and while it is in progress", async () => {
  const { reads, looks } = heldReads();
  const before = performance.now() - 1;
  const [first, second, other] = [looks.head("a", before), looks.head("a", before), looks.head("b", before)];
  expect(reads.length).toBe(2);
  for (const end of reads) end();
  expect([(await first)?.sequence, (await second)?.sequence, (await other)?.sequence]).toEqual([1, 1, 2]);
  const next = looks.head("a", before);
  reads.at(-1)?.();
  expect((await next)?.sequence).toBe(3);
});

test("a watch does not get a read that began before its last look: it would go back in time", async () => {
  const { reads, looks } = heldReads();
  const slow = looks.head("a", performance.now() - 1);
  const later = looks.head("a", performance.now());
  expect(reads.length).toBe(2);
  reads[1]?.();
  expect((await later)?.sequence).toBe(2);
  reads[0]?.();
  expect((await slow)?.sequence).toBe(1);
});

test("a read that fails fails for all who share it, and not for the next", async () => {
  let failing = true;
  const looks = sharedLooks({ head: async () => (failing ? Promise.reject(new Error("no store")) : undefined) });
  const before = performance.now() - 1;
  const results = await Promise.allSettled([looks.head("a", before), looks.head("a", before)]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  failing = false;
  expect(await looks.head("a", before)).toBeUndefined();
});
