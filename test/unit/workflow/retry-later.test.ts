import { expect, test } from "vitest";
import { RetryLater, retryAfterResponse } from "../../../src/workflow/retry-later.ts";
import { retryPolicy } from "../../../src/workflow/policy.ts";

const busy = { category: "model_unavailable", title: "Busy.", remedy: "Wait.", retryable: true } as const;
const payload = { runId: "R", turn: 3 };

test("a time that the provider asked for is waited by the state machine, in whole seconds", () => {
  const first = retryAfterResponse(new RetryLater(busy, 61_200), payload);
  expect(first).toEqual({ done: false, turn: 3, waitSeconds: 62, waits: 1 });
  expect(retryAfterResponse(new RetryLater(busy, 1_000), { ...payload, ...first })).toMatchObject({
    waitSeconds: 1,
    waits: 2,
  });
});

test("what nobody asked a time for is left to the policy, and so is the wait after the last one", () => {
  const unasked = new RetryLater(busy, undefined);
  const asked = new RetryLater(busy, 60_000);
  const other = new Error("the table is gone");
  expect(() => retryAfterResponse(unasked, payload)).toThrow(unasked);
  expect(() => retryAfterResponse(other, payload)).toThrow(other);
  expect(() => retryAfterResponse(asked, { ...payload, waits: retryPolicy.maxAttempts })).toThrow(asked);
});

test("a wait after steps that were recorded is the first again", () => {
  const asked = new RetryLater(busy, 60_000);
  asked.progress = true;
  expect(retryAfterResponse(asked, { ...payload, waits: retryPolicy.maxAttempts })).toMatchObject({
    waitSeconds: 60,
    waits: 1,
  });
});
