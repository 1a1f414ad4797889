import { setImmediate } from "node:timers/promises";
import type { ApiResponse, StreamBody } from "../api/handlers/handler.ts";
import { log } from "../log.ts";
import type { RunUpdate } from "../runs/watch-run.ts";
import { wireEvent } from "./wire/event.ts";
import { wireDetail } from "./wire/run.ts";

/** Milliseconds that a client waits before it connects again, and after a stream that ended as planned. */
const [retry, retryAtOnce] = [2_000, 100];
/** Milliseconds without data after which a comment is sent: proxies close silent connections. */
const commentAfter = 15_000;
/** Milliseconds after which a stream ends. The client connects again, and its token is checked again. */
const longest = 300_000;
/** Characters after which a stream that is collected before it is sent ends: Lambda accepts 6 MB. */
const maxCollected = 2_000_000;

/**
 * A response with Server-Sent Events: `run` with a RunDetail, and `event` with an Event and its number as `id`. The last
 * event of an earlier version, which has no number, has the id 0, so that a client that has received them all gets them
 * once. `isOpen`: the stream stays open. Otherwise, it is short enough to be collected.
 */
export function streamResponse(
  watch: (signal: AbortSignal) => AsyncIterable<RunUpdate>,
  { maxText, isOpen, ...context }: { maxText?: number; isOpen: boolean; requestId: string; runId: string },
): ApiResponse {
  const body: StreamBody = async function* (signal) {
    const started = Date.now();
    let sentAt = started;
    let characters = 0;
    yield `retry: ${retry}\n\n`;
    try {
      for await (const update of watch(signal)) {
        for (const text of textsOf(update, maxText)) {
          yield text;
          characters += text.length;
          sentAt = Date.now();
          if (!isOpen && characters > maxCollected) return;
        }
        await setImmediate(); // other requests, while many events are sent
        if (Date.now() - sentAt >= commentAfter) {
          yield ": nothing new\n\n";
          sentAt = Date.now();
        }
        if (Date.now() - started >= longest) return yield `retry: ${retryAtOnce}\n\n`;
      }
    } catch (error) {
      log("error", "a stream of events ended early; its client connects again", { ...context, error });
    }
  };
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" };
  return { status: 200, headers, body };
}

function* textsOf(update: RunUpdate, maxText: number | undefined): Generator<string> {
  if (update === "unchanged") return;
  if ("run" in update) return yield `event: run\ndata: ${JSON.stringify(wireDetail(update.run))}\n\n`;
  const { events } = update;
  for (const [index, event] of events.entries()) {
    const { sequence } = event;
    const id = sequence ?? (index === events.length - 1 ? 0 : undefined);
    const data = `event: event\ndata: ${JSON.stringify(wireEvent(event, maxText))}\n\n`;
    yield id === undefined ? data : `id: ${id}\n${data}`;
  }
}
