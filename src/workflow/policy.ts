/**
 * Retry policy of both platforms for the error `RetryLater`. The delay before retry n is
 * min(firstDelaySeconds × backoffRate^(n − 1), maxDelaySeconds) with full jitter. 40 retries wait for at most 59
 * minutes (126 s until the delay is full, then 34 × 100 s), and half of that on average.
 */
export const retryPolicy = {
  errorName: "RetryLater",
  maxRetries: 40,
  firstDelaySeconds: 2,
  backoffRate: 2,
  maxDelaySeconds: 100,
} as const;

/**
 * Seconds that one model call may wait for retries within an invocation. Most providers are busy for a few seconds
 * only. The retry policy handles longer waits.
 */
export const maxRetryWaitSeconds = 30;

/** Seconds that `advance` waits for another worker's lease. The lease of a killed worker expires earlier. */
export const leaseWaitSeconds = 60;

/** Timeout of the function `advance`. Lambda's maximum, so that a turn needs few invocations. */
export const advanceSeconds = 900;

/**
 * No step starts in the last seconds of an invocation; `advance` responds "not done" instead. A model call that takes
 * longer than this and started just before is aborted and repeated.
 */
export const lastStepSeconds = 300;

/** Seconds before its timeout at which an invocation aborts its work, so that it ends with our own error. */
export const abortSeconds = 10;

/** Timeout of the function `fail`, which makes one or two conditional writes. */
export const failSeconds = 10;

/**
 * Retry policy of the task `fail`: five retries with delays as in `retryPolicy`. `taskSeconds` includes the cold start.
 * After three minutes `reconcile` and the sweep take over. See `test/unit/workflow/worst-case.test.ts`.
 */
export const failPolicy = {
  maxRetries: 5,
  firstDelaySeconds: 2,
  backoffRate: 2,
  maxDelaySeconds: 32,
  taskSeconds: failSeconds + 10,
} as const;

/** Timeout of the function `reconcile`: two conditional writes on a slow table. */
export const reconcileSeconds = 30;

/** Timeout of an execution, including waits and retries. */
export const turnSeconds = 24 * 60 * 60;

/** Minutes between sweeps. An orphaned run is found within ten minutes even if one sweep fails. */
export const sweepMinutes = 2;

/** Timeout of the function `sweep`. It ends before the next sweep starts. */
export const sweepSeconds = sweepMinutes * 60 - 10;

/** Seconds after which a sweep starts no more waiting runs. A start in progress ends before the timeout. */
export const sweepStartsSeconds = sweepSeconds - 30;

/** A sweep skips turns whose input was accepted less than this many seconds ago: their execution may not have started. */
export const graceSeconds = 120;

/** Runs that a sweep checks concurrently. Step Functions allows 15 DescribeExecution calls per second, 300 in a burst. */
export const sweepConcurrency = 8;
