import { reached, unreached } from "./connection.ts";
import { ApiError } from "./client.ts";
import type { CallOutput, RunDetail, RunEvent, TextDelta } from "./types.ts";
import { wait } from "./poll.ts";

/** The server-sent events of a run's stream, by their names. */
interface StreamData {
  run: RunDetail;
  event: RunEvent;
  output: CallOutput;
  delta: TextDelta;
  thinking: TextDelta;
  /** A response begins. No message of the service. */
  opened: undefined;
}

/** One server-sent event of a run's stream. */
export type StreamEvent = { [Name in keyof StreamData]: { event: Name; data: StreamData[Name] } }[keyof StreamData];

/** Characters of a text that come with a list or stream of events. Longer ones are loaded when they are shown. */
export const maxText = 2_048;

/** Sends the request of a stream. Rejects with `ApiError` for every response that is not a success. */
export type OpenStream = (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;

/**
 * Reads the stream of a run's events until `signal` is aborted, and resumes it after the last id. A stream that ends
 * by itself is read again after the server's `retry`; one that breaks, after longer and longer waits. Nothing is read
 * while the page is hidden. Rejects with
 * `ApiError` when a retry does not help.
 */
export async function* streamEvents(open: OpenStream, after: number, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  let lastId = String(after);
  let retryMs = 2_000;
  let attempt = 0;
  while (!signal.aborted) {
    // Browsers open six connections to an origin. A hidden page does without its own, and resumes when it is shown.
    const hidden = new AbortController();
    const check = (): void => {
      if (document.visibilityState === "hidden") hidden.abort();
    };
    document.addEventListener("visibilitychange", check);
    const shown = AbortSignal.any([signal, hidden.signal]);
    try {
      await untilVisible(signal);
      const headers = { accept: "text/event-stream", "last-event-id": lastId };
      const { body } = await open(headers, shown);
      reached();
      attempt = 0;
      yield { event: "opened", data: undefined };
      const { EventSourceParserStream } = await import("eventsource-parser/stream"); // no first view needs it
      const onRetry = (ms: number): void => void (retryMs = ms);
      const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream({ onRetry }));
      const reader = events?.getReader();
      for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
        const { id, event = "message", data } = read.value;
        if (id !== undefined) lastId = id;
        yield { event, data: JSON.parse(data) as unknown } as StreamEvent;
      }
      await wait(retryMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (hidden.signal.aborted) continue;
      const final = error instanceof ApiError && error.status >= 400 && error.status < 500;
      if (final && error.status !== 408 && error.status !== 429) throw error;
      await wait(unreached(++attempt, retryMs), signal);
    } finally {
      document.removeEventListener("visibilitychange", check);
    }
  }
}

/** Resolves when the page is visible, or when `signal` is aborted. */
function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.visibilityState === "hidden" && !signal.aborted) return;
      document.removeEventListener("visibilitychange", check);
      resolve();
    };
    document.addEventListener("visibilitychange", check);
    signal.addEventListener("abort", check, { once: true });
    check();
  });
}
