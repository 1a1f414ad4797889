import { expect, test } from "vitest";
import { RetryLater, retryAfterResponse } from "../../../src/workflow/retry-later.ts";
import { retryPolicy } from "../../../src/workflow/policy.ts";

const busy = { category: "model_unavailable", title: "Busy.", remedy: "Wait.", retryable: true } as const;
const payload = { runId: "R", turn: 3 };

test("the state machine waits as long as the provider asked, in whole seconds", () => {
  const first = retryAfterResponse(new RetryLater(busy, 61_200), payload);
  expect(first).toEqual({ done: false, turn: 3, waitSeconds: 62, waits: 1 });
  expect(retryAfterResponse(new RetryLater(busy, 1_000), { ...payload, ...first })).toMatchObject({
    waitSeconds: 1,
    waits: 2,
  });
});

test("rethrows errors without a requested delay, and after the last wait", () => {
  const withoutDelay = new RetryLater(busy, undefined);
  const withDelay = new RetryLater(busy, 60_000);
  const other = new Error("the table is gone");
  expect(() => retryAfterResponse(withoutDelay, payload)).toThrow(withoutDelay);
  expect(() => retryAfterResponse(other, payload)).toThrow(other);
  expect(() => retryAfterResponse(withDelay, { ...payload, waits: retryPolicy.maxRetries })).toThrow(withDelay);
});

test("counts waits from 1 again after progress", () => {
  const withDelay = new RetryLater(busy, 60_000);
  withDelay.progress = true;
  expect(retryAfterResponse(withDelay, { ...payload, waits: retryPolicy.maxRetries })).toMatchObject({
    waitSeconds: 60,
    waits: 1,
  });
});
