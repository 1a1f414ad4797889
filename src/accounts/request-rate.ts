import { ServiceError } from "../errors.ts";

/**
 * What one API key or operator may send: a token bucket for each (https://en.wikipedia.org/wiki/Token_bucket). A request
 * costs one token. A list of runs costs more, by the runs that are read for it.
 */
export interface RequestRate {
  /** Takes a token. Throws `too_many_requests` if there is none. `holder`: a key's hash, or an operator's name in the audit. */
  admit(holder: string): void;
  /**
   * Begins a list: takes a hundredth of a full bucket ahead, so that lists that are asked for together are not all read. Throws
   * `too_many_requests` if there is less. Returns a function that charges runs that were read instead; the next requests wait
   * for them. A list that fails before it has read pays what was taken.
   */
  beginList(holder: string): (runs: number) => void;
}

/**
 * Requests per second of one machine's server. More than a process answers, so that no program meets it that only polls: such
 * requests wait for each other by 0.03 ms. It bounds what lists and searches read. An operator can set a lower one.
 */
export const defaultRequestRate = 100_000;

/** Seconds without requests after which the bucket is full. A list that costs more is not waited for longer. */
const burstSeconds = 5;

/**
 * Tokens for a run that a list or search reads, which takes 0.01 ms: at most 5,000 runs, or 50 ms of the processor, in each
 * second. 1,000 are read for a filter that few runs pass.
 */
const tokensPerRun = (perSecond: number): number => Math.max(0.1, perSecond / 5_000);

/** Lists of a holder that begin before the first one has read anything. At the default rate, each pays 250 runs ahead. */
const listsAtOnce = 100;

/** Buckets in memory, 100 bytes each. A new one is full. */
const maxBuckets = 10_000;

interface Bucket {
  tokens: number;
  /** When `tokens` was right, in milliseconds. */
  at: number;
}

/** `perSecond`: tokens that each holder gets. `now`: milliseconds of a clock that only moves forward. */
export function requestRate(perSecond: number, now = () => performance.now()): RequestRate {
  const capacity = perSecond * burstSeconds;
  const buckets = new Map<string, Bucket>();

  function bucketOf(holder: string): Bucket {
    const at = now();
    const found = buckets.get(holder);
    if (found) {
      found.tokens = Math.min(capacity, found.tokens + ((at - found.at) / 1_000) * perSecond);
      found.at = at;
      return found;
    }
    if (buckets.size >= maxBuckets) buckets.clear();
    const bucket = { tokens: capacity, at };
    buckets.set(holder, bucket);
    return bucket;
  }

  return {
    admit(holder) {
      const bucket = bucketOf(holder);
      if (bucket.tokens < 1) throw tooManyRequests(perSecond, (1 - bucket.tokens) / perSecond);
      bucket.tokens -= 1;
    },
    beginList(holder) {
      const begun = bucketOf(holder);
      let ahead = capacity / listsAtOnce;
      if (begun.tokens < ahead) {
        begun.tokens += 1; // of the request
        throw tooManyRequests(perSecond, (ahead + 1 - begun.tokens) / perSecond);
      }
      begun.tokens -= ahead;
      return (runs) => {
        const bucket = bucketOf(holder);
        const left = bucket.tokens + ahead - runs * tokensPerRun(perSecond);
        bucket.tokens = Math.min(capacity, Math.max(-capacity, left));
        ahead = 0;
      };
    },
  };
}

function tooManyRequests(perSecond: number, seconds: number): ServiceError {
  const message =
    `too many requests: this key may send ${perSecond} per second, and a list or search counts as several; ` +
    "repeat the request after the seconds of the header Retry-After";
  return new ServiceError("too_many_requests", message, { retryAfterSeconds: Math.ceil(seconds) });
}
