/** Lambda keeps this many concurrent executions of an account unreserved. */
export const unreservable = 100;

/** Part of the account's concurrency that requests and repair keep. */
const keptShare = 0.2;

/**
 * Concurrent executions that `concurrentRuns` `auto` reserves for runs: four fifths of the account's quota. 0: nothing is
 * reserved, because too little of a small quota would be left. A new account has 10, others 1,000 by default.
 */
export function defaultConcurrentRuns(quota: number): number {
  const kept = Math.max(unreservable, Math.ceil(quota * keptShare));
  return quota >= 2 * unreservable ? quota - kept : 0;
}
