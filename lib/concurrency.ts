/** Lambda keeps this many concurrent executions of an account unreserved. */
export const unreservable = 100;

/** Part of the account's concurrency that requests and repair keep. */
const keptShare = 0.2;

/**
 * Concurrent executions that `concurrentRuns` `auto` reserves for runs: four fifths of the account's quota, less if `warm`
 * environments need it. 0: nothing is reserved, because too little of a small quota would be left. A new account has 10, others
 * 1,000 by default.
 */
export function defaultConcurrentRuns(quota: number, warm = 0): number {
  const kept = Math.max(unreservable + 2 * warm, Math.ceil(quota * keptShare));
  return quota >= 2 * unreservable && reservationsOf(quota - kept).runs >= warm ? quota - kept : 0;
}

/** Concurrent executions that `warm` environments take outside of the reservation for runs: of `Create` and `Get`, or of all three. */
export function warmOutsideOf(concurrentRuns: number, warm: number): number {
  return (concurrentRuns > 0 ? 2 : 3) * warm;
}

/**
 * What the functions get of the executions that are reserved for runs. A tenth reads documents and checks results, so that slow
 * documents of one organization take none of those that answer requests. With less than 10, and with 0, all of them share the rest.
 */
export function reservationsOf(concurrentRuns: number): { runs: number; documents: number } {
  const documents = Math.floor(concurrentRuns / 10);
  return { runs: concurrentRuns - documents, documents };
}

/** Requests that one execution answers in a second: a poll takes some 20 ms, a create some 60. */
const requestsPerExecution = 20;

/** Quotas of API Gateway, by default: requests per second, and the burst. */
const [maxRate, maxBurst] = [10_000, 5_000];

/** Of a deployment that does not know the quota, and the least otherwise: so many polls occupy 10 executions. */
const leastRate = 500;

/**
 * What `requestsPerSecond` `auto` is with this quota of concurrent executions: as many requests as the part of it
 * that runs leave answers. Absent: unknown.
 */
export function defaultThrottle(quota?: number): { rate: number; burst: number } {
  const kept = Math.floor((quota ?? 0) * keptShare) * requestsPerExecution;
  return throttleOf(Math.min(Math.max(kept, leastRate), maxRate));
}

/** The burst is two seconds of the rate. */
export function throttleOf(rate: number): { rate: number; burst: number } {
  return { rate, burst: Math.min(2 * rate, maxBurst) };
}
