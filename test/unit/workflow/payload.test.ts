import { expect, test } from "vitest";
import { reasonOf } from "../../../src/workflow/payload.ts";
import { retryPolicy } from "../../../src/workflow/policy.ts";

test.each([
  ['{"errorType":"RetryLater","errorMessage":"The model is busy.","trace":[]}', "The model is busy."],
  ['{"errorType":"Sandbox.Timedout"}', '{"errorType":"Sandbox.Timedout"}'],
  ["The task timed out.", "The task timed out."],
  ["null", "null"],
  ["", ""],
])("the reason is read from %j", (cause, reason) => {
  expect(reasonOf(cause)).toBe(reason);
});

test("the retry policy waits at most 59 minutes", () => {
  const { firstDelaySeconds, backoffRate, maxDelaySeconds, maxRetries } = retryPolicy;
  const delays = Array.from({ length: maxRetries }, (_, n) =>
    Math.min(firstDelaySeconds * backoffRate ** n, maxDelaySeconds),
  );
  expect(delays.reduce((sum, delay) => sum + delay)).toBe(126 + 34 * 100);
});
