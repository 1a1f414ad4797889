import { expect } from "vitest";

/** Waits until a list is as expected: an index may lag behind its table. */
export async function listed<T>(list: () => Promise<T[]>, expected: T[]): Promise<void> {
  await expect.poll(list, { timeout: 25_000, interval: 50 }).toEqual(expected);
}
