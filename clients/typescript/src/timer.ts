import type { Deadline } from "./clock.ts";

/** Aborts `signal` when nothing arrived for some time, at the deadline, or when the caller aborts. */
export class Timer {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #deadline: Deadline;
  #timeout: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number, deadline: Deadline) {
    this.#milliseconds = milliseconds;
    this.#deadline = deadline;
    const { signal } = this.#controller;
    this.signal = deadline.signal ? AbortSignal.any([signal, deadline.signal]) : signal;
    this.restart();
  }

  restart(): void {
    this.pause();
    const milliseconds = Math.min(this.#milliseconds, this.#deadline.remaining());
    const abort = (): void => this.#controller.abort(new Error(`no answer within ${milliseconds / 1_000} s`));
    this.#timeout = setTimeout(abort, milliseconds);
  }

  pause(): void {
    clearTimeout(this.#timeout);
  }

  end(): void {
    this.pause();
    this.#controller.abort(); // closes the connection of a stream that the caller left
  }
}
