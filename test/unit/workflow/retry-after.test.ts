import { expect, test } from "vitest";
import { RetryLater } from "../../../src/workflow/advance.ts";
import { askedWait } from "../../../src/workflow/retry-after.ts";
import { retryPolicy } from "../../../src/workflow/policy.ts";

const busy = { category: "model_unavailable", title: "Busy.", remedy: "Wait.", retryable: true } as const;
const payload = { runId: "R", turn: 3 };

test("a time that the provider asked for is waited by the state machine, in whole seconds", () => {
  const first = askedWait(new RetryLater(busy, 61_200), payload);
  expect(first).toEqual({ done: false, turn: 3, waitSeconds: 62, waits: 1 });
  expect(askedWait(new RetryLater(busy, 1_000), { ...payload, ...first })).toMatchObject({ waitSeconds: 1, waits: 2 });
});

test("what nobody asked a time for is left to the policy, and so is the wait after the last one", () => {
  const unasked = new RetryLater(busy, undefined);
  const asked = new RetryLater(busy, 60_000);
  const other = new Error("the table is gone");
  expect(() => askedWait(unasked, payload)).toThrow(unasked);
  expect(() => askedWait(other, payload)).toThrow(other);
  expect(() => askedWait(asked, { ...payload, waits: retryPolicy.maxAttempts })).toThrow(asked);
});

test("a wait after steps that were recorded is the first again", () => {
  const asked = new RetryLater(busy, 60_000);
  asked.progress = true;
  expect(askedWait(asked, { ...payload, waits: retryPolicy.maxAttempts })).toMatchObject({ waitSeconds: 60, waits: 1 });
});
