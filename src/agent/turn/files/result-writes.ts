import { settleAll } from "../../../async/settle-all.ts";

/**
 * Writes of results that a turn does not wait for: meanwhile, it calls the model for the next step, which saves a round trip of
 * the store. The answer is recorded when they have settled. That call is repeated, and paid twice, if the process is killed or a write
 * fails.
 */
export class ResultWrites {
  #pending: Promise<boolean>[] = [];
  #hasRecorded = false;

  add(write: Promise<boolean>): void {
    write.catch(() => {}); // thrown by `settled`
    this.#pending.push(write);
  }

  /**
   * Waits for the first writes, as `settled`, and for no later ones: a store that accepts no results must not cost a call of the model
   * with each retry of the turn.
   */
  async firstSettled(): Promise<boolean> {
    return this.#hasRecorded || (await this.settled());
  }

  /** Waits for all writes. False: one was not recorded. Rejects with the first error. */
  async settled(): Promise<boolean> {
    const writes = this.#pending;
    if (writes.length === 0) return true;
    this.#pending = [];
    const recorded = (await settleAll(writes)).every(Boolean);
    this.#hasRecorded ||= recorded;
    return recorded;
  }
}
