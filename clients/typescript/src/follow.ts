import type { Deadline } from "./clock.ts";
import { messages } from "./event-stream.ts";
import { ext } from "./generated/operations.ts";
import { filled, type Http, type Request } from "./http.ts";
import type { EventsOptions } from "./options.ts";
import type { Server } from "./server.ts";
import type { Event, RunSummary } from "./types.ts";
import { type TextPlace, WrittenText } from "./written-text.ts";

/** Milliseconds before an event stream is opened again, unless the server says otherwise. */
const defaultRetry = 2_000;

interface FollowOptions extends Pick<EventsOptions, "onText"> {
  /** The `sequence` of the last event that is known. */
  after?: number | null | undefined;
  http: Http;
  server: Server;
  deadline: Deadline;
  /** End when the run waits for answers, too. */
  untilWaiting?: boolean;
}

/**
 * Reads the event stream, and opens it again after its end or an interruption, until it says that the run has ended.
 */
export async function* followEvents(runId: string, options: FollowOptions): AsyncGenerator<Event> {
  const { http, server, deadline, after, onText, untilWaiting = false } = options;
  let lastId = after?.toString();
  let retry = defaultRetry;
  const written = new WrittenText();
  const show = async (shown: (TextPlace & { text: string }) | undefined): Promise<void> => {
    if (shown) await onText?.(shown.text, { turn: shown.turn, step: shown.step });
  };
  for (let failures = 0; ;) {
    let pause: number;
    /** The last event before the run began to wait. */
    let waitsAfter = Infinity;
    written.restart();
    const headers = { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) };
    const request: Request = { ...filled(ext.list_events, { run_id: runId }), headers, deadline };
    const parsed = <Value>(data: string): Value => parse(http, request, data);
    try {
      await server.waitSeconds(deadline); // rejects if the server has no events
      for await (const message of messages(http.stream(request, "text/event-stream"))) {
        failures = 0;
        retry = message.retry ?? retry;
        if (message.event === "end") return;
        if (message.event === "event") {
          const event = parsed<Event>(message.data);
          await show(written.record(event));
          yield event;
        }
        lastId = message.id ?? lastId;
        if (message.event === "delta" && onText) await show(written.add(parsed(message.data)));
        if (message.event === "run") {
          const { state, sequence } = parsed<RunSummary>(message.data);
          waitsAfter = state === "waiting" ? sequence : Infinity;
        }
        if (untilWaiting && Number(lastId ?? 0) >= waitsAfter) return;
      }
      pause = retry;
    } catch (error) {
      const next = http.waitBackoff(error, ++failures, deadline, retry);
      if (next === undefined) throw error;
      pause = next * (1 + Math.random() / 4); // so that many clients do not come back at once
    }
    await deadline.sleep(pause);
  }
}

function parse<Value>(http: Http, request: Request, data: string): Value {
  try {
    return JSON.parse(data) as Value;
  } catch {
    throw http.unexpected(request, `an event that is not JSON: ${JSON.stringify(data.slice(0, 80))}`);
  }
}
