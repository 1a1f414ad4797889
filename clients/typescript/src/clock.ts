import { WaitTimeout } from "./errors.ts";

/** The time, for tests that must not wait. */
export interface Clock {
  /** Milliseconds. Only differences are used. */
  now(): number;
  /** Resolves after milliseconds. Rejects with the reason of `signal` when it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, milliseconds);
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};

/** The time until which a call may take, over all its requests and waits. */
export class Deadline {
  readonly signal: AbortSignal | undefined;
  /** Something has answered a request of the call. */
  answered = false;
  /** The error of the last attempt. Undefined: it succeeded. */
  lastError: unknown;
  /** What the call waits for besides the end of the run, as a clause. */
  waitsFor: string | undefined;
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #end: number;

  /** `timeout`: milliseconds from now. `signal` ends the call earlier. */
  constructor(clock: Clock, timeout = Infinity, signal?: AbortSignal) {
    this.#clock = clock;
    this.#timeout = timeout;
    this.#end = clock.now() + timeout;
    this.signal = signal;
  }

  /** Milliseconds, at least 0. */
  remaining(): number {
    return Math.max(0, this.#end - this.#clock.now());
  }

  /** Waits, but not beyond the deadline: then, it rejects with `WaitTimeout`. */
  async sleep(milliseconds: number): Promise<void> {
    const remaining = this.remaining();
    await this.#clock.sleep(Math.min(milliseconds, remaining), this.signal);
    if (milliseconds >= remaining) throw this.timeoutError();
  }

  /** Notes why an attempt failed. One that the deadline has cut off says nothing. */
  failed(error: unknown): void {
    if (this.remaining() > 0) this.lastError = error;
  }

  timeoutError(): WaitTimeout {
    const { waitsFor, lastError } = this;
    const clauses = [
      `the run did not end within ${this.#timeout / 1_000} s`,
      ...(waitsFor === undefined ? [] : [waitsFor]),
      ...(lastError instanceof Error ? [`the last request failed: ${lastError.message}`] : []),
    ];
    return new WaitTimeout(clauses.join("; "), lastError === undefined ? {} : { cause: lastError });
  }
}
