import { settleAll } from "../../async/settle-all.ts";

/**
 * Writes of results that a turn does not wait for: meanwhile, it calls the model for the next step, which saves a round trip of
 * the store. The answer is recorded when they have settled. A killed process may repeat that call.
 */
export class ResultWrites {
  #pending: Promise<boolean>[] = [];

  add(write: Promise<boolean>): void {
    write.catch(() => {}); // thrown by `settled`
    this.#pending.push(write);
  }

  /** Waits for all writes. False: one was not recorded. Rejects with the first error. */
  async settled(): Promise<boolean> {
    const writes = this.#pending;
    this.#pending = [];
    return (await settleAll(writes)).every(Boolean);
  }
}
