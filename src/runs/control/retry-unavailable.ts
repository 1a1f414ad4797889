import { fullJitter, pause } from "../../async/backoff.ts";
import { StoreUnavailable } from "../../errors.ts";

const attempts = 6;
const firstPause = 200; // ms; at most 6 s in all

/** Repeats a write while the store is unavailable. `write` gets the number of the attempt, from 1. */
export async function retryWhileUnavailable<Value>(write: (attempt: number) => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(attempt);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || attempt === attempts) throw error;
    }
    await pause(fullJitter(attempt, { first: firstPause }));
  }
}
