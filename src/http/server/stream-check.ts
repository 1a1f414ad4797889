import { setTimeout as sleep } from "node:timers/promises";
import type { ApiResponse } from "../handler.ts";

/** The path with which `npm run deploy` checks that the parts of a response arrive while it is sent. */
export const streamCheckPath = "/stream-check";

/** Milliseconds from the first part of the response to its last. */
export const streamCheckMilliseconds = 1_000;

/** A response in two parts. It needs no credential, and says nothing. */
export async function streamCheck(): Promise<ApiResponse> {
  return {
    status: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    async *body(signal) {
      yield ": first\n\n";
      await sleep(streamCheckMilliseconds, undefined, { signal }).catch(() => {});
      yield ": last\n\n";
    },
  };
}
