import { EventSourceParserStream } from "eventsource-parser/stream";
import { reached, unreached } from "../state/connection.ts";
import { ApiError, send } from "./client.ts";
import { wait } from "./poll.ts";

export interface StreamEvent {
  /** `run` or `event`. */
  event: string;
  /** JSON. */
  data: string;
}

/**
 * Reads a stream of server-sent events until `signal` is aborted, and resumes it after the last id. A stream that ends
 * by itself is read again after the server's `retry`; one that breaks, after longer and longer waits. Rejects with
 * `ApiError` when a retry does not help.
 */
export async function* streamEvents(path: string, after: number, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  let lastId = String(after);
  let retryMs = 2_000;
  let attempt = 0;
  while (!signal.aborted) {
    try {
      const headers = { accept: "text/event-stream", "last-event-id": lastId };
      const { body } = await send("GET", path, { headers, signal });
      reached();
      attempt = 0;
      const onRetry = (ms: number): void => void (retryMs = ms);
      const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream({ onRetry }));
      const reader = events?.getReader();
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
        const { id, event = "message", data } = read.value;
        if (id !== undefined) lastId = id;
        yield { event, data };
      }
      await wait(retryMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      const final = error instanceof ApiError && error.status >= 400 && error.status < 500;
      if (final && error.status !== 408 && error.status !== 429) throw error;
      await wait(unreached(++attempt, retryMs), signal);
    }
  }
}
