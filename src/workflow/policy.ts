/**
 * How both homes wait when `advance` rejects with an Error named `errorName`: the delay before attempt n + 1 is
 * min(firstDelaySeconds × backoffRate^(n − 1), maxDelaySeconds), with full jitter. 40 attempts wait for 59 minutes at
 * most (126 s until the delay is full, then 34 × 100 s) and for half of that on average.
 */
export const retryPolicy = {
  errorName: "RetryLater",
  maxAttempts: 40,
  firstDelaySeconds: 2,
  backoffRate: 2,
  maxDelaySeconds: 100,
} as const;

/**
 * Seconds that `advance` waits within an invocation, for each step, while a provider is busy. Most are busy for a few
 * seconds only; what takes longer is the retry policy's.
 */
export const patienceSeconds = 30;

/** Seconds that `advance` waits for another worker's lease: a killed one's has ended by then. */
export const leaseWaitSeconds = 60;

/** Seconds one invocation of `advance` may take. Lambda's own limit, so that a turn needs as few as possible. */
export const advanceSeconds = 900;

/**
 * Seconds before the end of an invocation from which on `advance` begins no further step but answers "not done". A
 * model call that takes longer than this and began in the last moment is aborted and done again.
 */
export const lastStepSeconds = 300;

/** Seconds before the end of an invocation at which what is still in flight is aborted, to leave by our own error. */
export const abortSeconds = 10;

/** Seconds `fail` may take. It is a conditional write or two. */
export const failSeconds = 10;

/**
 * How often and for how long the state machine tries `fail`: five times more, after delays as in `retryPolicy`, each
 * time for so many seconds with the start of the function in them. What it can't record in three minutes is
 * `reconcile`'s and the sweep's, which know the reason from the execution: `test/unit/workflow/worst-case.test.ts`.
 */
export const failPolicy = {
  maxAttempts: 5,
  firstDelaySeconds: 2,
  backoffRate: 2,
  maxDelaySeconds: 32,
  taskSeconds: failSeconds + 10,
} as const;

/** Seconds `reconcile` may take: two conditional writes on a slow table. */
export const reconcileSeconds = 30;

/** Seconds after which a turn's execution is ended from outside, waiting and retries included. */
export const turnSeconds = 24 * 60 * 60;

/** Minutes between two sweeps: so that a stuck run is found within ten even when one of them fails. */
export const sweepMinutes = 2;

/** Seconds one sweep may take: it ends before the next one begins. */
export const sweepSeconds = sweepMinutes * 60 - 10;

/** Seconds that a turn is left alone after its input was accepted: its execution may be about to start. */
export const graceSeconds = 120;

/** Runs that a sweep looks at at the same time. Step Functions answers 15 such questions a second for long, 300 at once. */
export const sweepLookups = 8;
