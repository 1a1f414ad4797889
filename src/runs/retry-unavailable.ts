import { fullJitter, pause } from "../async/backoff.ts";
import { StoreUnavailable } from "../errors.ts";

const attempts = 6;
const firstPause = 200; // ms; at most 6 s in all

/** Repeats an idempotent write while the store is unavailable, as often as a journal entry is written. */
export async function retryWhileUnavailable(write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || attempt === attempts) throw error;
    }
    await pause(fullJitter(attempt, { first: firstPause }));
  }
}
