import { type Failure, failureCategories } from "../agent/model.ts";
import { StoreUnavailable } from "../errors.ts";
import { type AdvancePayload, type AdvanceResponse, causeLength, type FailCause } from "./payload.ts";
import { retryPolicy, turnSeconds } from "./policy.ts";

/**
 * The one error after which the workflow calls `advance` again.
 * - `retryAfterMs`: the delay that the provider asked for. It replaces a shorter delay of the retry policy.
 * - `progress`: the invocation recorded journal entries, which resets the count of retries.
 */
export class RetryLater extends Error {
  readonly retryAfterMs: number | undefined;
  progress = false;

  constructor(failure: Failure, retryAfterMs?: number, options?: ErrorOptions) {
    super(`${failure.category}: ${failure.title}`, options); // parsed by retriesExhausted
    this.name = retryPolicy.errorName;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Turns the error of an unavailable store into `RetryLater`. Other errors stay as they are. */
export function asRetryLater(error: unknown): unknown {
  return error instanceof StoreUnavailable ? new RetryLater(storeFailure(error), undefined, { cause: error }) : error;
}

export function storeFailure({ message }: StoreUnavailable): Failure {
  return {
    category: "internal",
    title: `A part of the service is unavailable: ${message}.`,
    remedy: "Retried automatically.",
    retryable: true,
  };
}

/**
 * The response of `advance` that makes the state machine wait as long as the provider asked. Rethrows
 * - errors without such a delay, which the state machine's retry policy handles,
 * - the error after as many consecutive waits as the retry policy has retries.
 */
export function retryAfterResponse(error: unknown, { turn, waits = 0 }: AdvancePayload): AdvanceResponse {
  if (!(error instanceof RetryLater) || error.retryAfterMs === undefined) throw error;
  const waitsWithoutProgress = error.progress ? 0 : waits;
  if (waitsWithoutProgress >= retryPolicy.maxRetries) throw error;
  const waitSeconds = Math.min(Math.ceil(error.retryAfterMs / 1_000), turnSeconds);
  return { done: false, turn, waitSeconds, waits: waitsWithoutProgress + 1 };
}

/** The failure of a turn whose retries are exhausted, from the message of `RetryLater`. Undefined for other errors. */
export function retriesExhausted({ error, cause }: FailCause): Failure | undefined {
  if (error !== retryPolicy.errorName) return undefined;
  const [, prefix = "", reason = cause] = /^(\w+): (.*)$/s.exec(cause) ?? [];
  const category = failureCategories.find((each) => each === prefix) ?? "internal";
  return {
    category,
    title: `Failed after ${retryPolicy.maxRetries} retries: ${reason.slice(0, causeLength)}`,
    remedy: "Create a new run once the cause is fixed.",
    retryable: true,
  };
}
