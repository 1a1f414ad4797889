import type { Deadline } from "./clock.ts";
import type { Http } from "./http.ts";

/** Milliseconds between two polls: the first, the longest, and the growth (specification section 4.2). */
const [firstPoll, longestPoll, growth] = [3_000, 10_000, 1.5];

/**
 * Repeats a look until it has a value. `"later"`: nothing has happened; the next look follows after a pause. `"now"`: the next
 * one follows at once. After a 502 or 503 it waits 1, 2, 4 … 30 s (specification section 7.3).
 */
export async function poll<Value extends object>(
  { http, deadline }: { http: Http; deadline: Deadline },
  look: () => Promise<Value | "later" | "now">,
): Promise<Value> {
  let interval = firstPoll;
  for (let failures = 0; ;) {
    const began = http.clock.now();
    let pause: number;
    try {
      const found = await look();
      failures = 0;
      if (found === "now") {
        interval = firstPoll;
        continue;
      }
      if (found !== "later") return found;
      pause = Math.max(0, interval - (http.clock.now() - began)); // a server that waited needs no pause
      interval = Math.min(longestPoll, interval * growth);
    } catch (error) {
      const next = http.waitBackoff(error, ++failures, deadline);
      if (next === undefined) throw error;
      pause = next;
    }
    await deadline.sleep(pause);
  }
}
