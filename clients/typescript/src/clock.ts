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

  timeoutError(): WaitTimeout {
    return new WaitTimeout(`the run did not end within ${this.#timeout / 1_000} s`);
  }
}
