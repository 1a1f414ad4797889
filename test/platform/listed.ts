import { expect } from "vitest";

/** A list is what it should be, at once or shortly after: an index may lag behind its table, a single read may not. */
export async function listed<T>(list: () => Promise<T[]>, expected: T[]): Promise<void> {
  await expect.poll(list, { timeout: 10_000, interval: 50 }).toEqual(expected);
}
