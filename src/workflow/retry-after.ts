import { RetryLater } from "./advance.ts";
import type { AdvanceAnswer, AdvancePayload } from "./payload.ts";
import { retryPolicy, turnSeconds } from "./policy.ts";

/**
 * What the state machine waits for in place of its own delays: the time that a provider asked for. Throws whatever else
 * ended the invocation, and the provider's refusal once it was waited for in vain as often in a row as the policy has
 * attempts.
 */
export function askedWait(error: unknown, { turn, waits = 0 }: AdvancePayload): AdvanceAnswer {
  if (!(error instanceof RetryLater) || error.after === undefined) throw error;
  const inVain = error.progress ? 0 : waits;
  if (inVain >= retryPolicy.maxAttempts) throw error;
  return { done: false, turn, waitSeconds: Math.min(Math.ceil(error.after / 1_000), turnSeconds), waits: inVain + 1 };
}
