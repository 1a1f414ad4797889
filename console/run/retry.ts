import { ApiError } from "../api/client.ts";
import { wait } from "../api/poll.ts";
import { reached, unreached } from "../api/connection.ts";

/** Reads once, and again after longer and longer waits while the service does not respond, until `signal` is aborted. */
export async function retried<Result>(signal: AbortSignal, read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await read();
      reached();
      return result;
    } catch (error) {
      const isInterrupted = error instanceof ApiError && (error.status === 0 || error.status >= 500);
      if (!isInterrupted || signal.aborted) throw error;
      await wait(unreached(attempt, 1_000), signal);
      signal.throwIfAborted();
    }
  }
}
