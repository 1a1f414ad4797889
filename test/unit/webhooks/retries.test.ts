import { expect, test } from "vitest";
import { nextAttempt } from "../../../src/deliveries/retries.ts";

test("nine attempts are made over about a day, each later than the one before", () => {
  const waits: number[] = [];
  for (let attempts = 1; ; attempts++) {
    const next = nextAttempt(attempts, 1_000);
    if (next === undefined) break;
    waits.push((next - 1_000) / 1_000);
  }
  expect(waits).toHaveLength(8);
  const planned = [5, 60, 300, 1_800, 7_200, 18_000, 28_800, 28_800];
  waits.forEach((wait, index) => {
    expect(wait).toBeGreaterThanOrEqual(planned[index]!);
    expect(wait).toBeLessThanOrEqual(planned[index]! * 1.2);
  });
});

/** Seconds until the third attempt, if the receiver asks for so many milliseconds. */
const wait = (retryAfter: number): number => Number(nextAttempt(2, 0, retryAfter)) / 1_000;

test("a receiver puts an attempt off with Retry-After, by a day at most, and never brings one forward", () => {
  const expected = [
    [10, 60],
    [600, 600],
    [100 * 86_400, 86_400],
  ] as const;
  for (const [asked, least] of expected) {
    expect(wait(asked * 1_000)).toBeGreaterThanOrEqual(least);
    expect(wait(asked * 1_000)).toBeLessThanOrEqual(least * 1.2);
  }
  expect(nextAttempt(9, 0, 60_000)).toBeUndefined();
});

test("the retries of several messages are spread", () => {
  expect(new Set(Array.from({ length: 50 }, () => nextAttempt(3, 0))).size).toBeGreaterThan(40);
});
