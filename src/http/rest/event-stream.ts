import { setImmediate } from "node:timers/promises";
import { log } from "../../log.ts";
import type { RunDetail } from "../../runs/read/describe-runs.ts";
import type { RunEvent } from "../../runs/run-types.ts";
import { isAnswered } from "../../runs/read/run-progress.ts";
import type { RunUpdate } from "../../runs/read/watch-run.ts";
import type { ApiResponse, StreamBody } from "../handler.ts";
import type { AnswererOf } from "./answerer-names.ts";
import { wireEvent } from "./wire/event.ts";

/**
 * Milliseconds that a client waits before it connects again: usually; after a collected stream while a model answers, so
 * that its text is at most 2 s old; and after a stream that ended as planned.
 */
const [retry, retryWhileWritten, retryAtOnce, retryWhenFull] = [2_000, 1_000, 100, 5_000];
/** Milliseconds without data after which a comment is sent: proxies close silent connections. */
const commentAfter = 15_000;
/** Milliseconds after which a stream ends unless its server says otherwise. */
const defaultLongest = 300_000;
/** Share of that time that is random: streams that begin together do not all connect again together. */
const randomShare = 0.1;
/**
 * Bytes of a stream that is collected before it is sent, and of an event in it. Lambda accepts 6 MB of JSON, in which
 * escapes at most double the text.
 */
const [maxCollected, maxEvent] = [2_000_000, 1_000_000];

interface StreamOptions {
  /** The run as the API sends it. */
  wireRun: (detail: RunDetail) => object;
  answererOf: AnswererOf;
  /** Characters that longer texts of events are cut to. */
  maxText?: number;
  /** The stream stays open. Otherwise, it is short enough to be collected, and a long event is cut. */
  isOpen: boolean;
  /** Milliseconds after which the stream ends. Its client connects again. */
  longest?: number | undefined;
  /** The watch reports the text of answers in progress. */
  hasTexts?: boolean;
  requestId: string;
  runId: string;
  /** Counts the stream while it is open. Absent: it is not counted. */
  count?: () => Disposable | undefined;
}

/**
 * A response with Server-Sent Events: `run` with the run; `event` with an Event and its number as `id`; `output` with what a
 * call in progress has printed, `delta` with text that a model has written and `thinking` with what it thinks before that, if
 * the watch reports them; and `end` with the status, if the watch reports the end. The last event of an earlier version, which has no number, has the id 0, so that a
 * client that has received them all gets them once.
 */
export function streamResponse(
  watch: (signal: AbortSignal) => AsyncIterable<RunUpdate>,
  {
    wireRun,
    answererOf,
    maxText,
    isOpen,
    longest = defaultLongest,
    hasTexts = false,
    count,
    ...context
  }: StreamOptions,
): ApiResponse {
  const shape = { wireRun, answererOf, maxText, maxBytes: isOpen ? Infinity : maxEvent };
  const body: StreamBody = async function* (signal) {
    // A response that is never sent, because its client is gone, is not counted.
    using counted = count?.();
    if (count && !counted) return yield `retry: ${retryWhenFull}\n\n`; // others have begun since the request
    const ends = longest * (1 - randomShare * Math.random());
    const started = Date.now();
    let sentAt = started;
    let bytes = 0;
    let answers = false; // a model does
    yield `retry: ${retry}\n\n`;
    try {
      for await (const update of watch(signal)) {
        if (update !== "unchanged" && "run" in update) answers = isAnswered(update.run.activity);
        for await (const text of textsOf(update, shape)) {
          bytes += isOpen ? 0 : Buffer.byteLength(text);
          if (bytes > maxCollected) return;
          yield text;
          sentAt = Date.now();
        }
        await setImmediate(); // other requests, while many events are sent
        if (Date.now() - sentAt >= commentAfter) {
          yield ": nothing new\n\n";
          sentAt = Date.now();
        }
        if (Date.now() - started >= ends) return yield `retry: ${retryAtOnce}\n\n`;
      }
      if (!isOpen && hasTexts && answers) yield `retry: ${retryWhileWritten}\n\n`;
    } catch (error) {
      log("error", "a stream of events ended early; its client connects again", { ...context, error });
    }
  };
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" };
  return { status: 200, headers, body };
}

/** How updates become texts. Texts of an event are cut until its message has at most `maxBytes`. */
interface Shape extends Pick<StreamOptions, "wireRun" | "answererOf"> {
  maxText: number | undefined;
  maxBytes: number;
}

/** The messages of an update. */
async function* textsOf(update: RunUpdate, { wireRun, answererOf, maxText, maxBytes }: Shape): AsyncGenerator<string> {
  if (update === "unchanged") return;
  if ("run" in update) return yield `event: run\ndata: ${JSON.stringify(wireRun(update.run))}\n\n`;
  if ("ended" in update) return yield `event: end\ndata: ${JSON.stringify({ status: update.ended })}\n\n`;
  if ("delta" in update) return yield `event: delta\ndata: ${JSON.stringify(update.delta)}\n\n`;
  if ("thinking" in update) return yield `event: thinking\ndata: ${JSON.stringify(update.thinking)}\n\n`;
  if ("output" in update) return yield `event: output\ndata: ${JSON.stringify(update.output)}\n\n`;
  const { events } = update;
  for (const [index, event] of events.entries()) {
    const { sequence } = event;
    const id = sequence ?? (index === events.length - 1 ? 0 : undefined);
    const data = eventText(event, await answererOf(event), maxText, maxBytes);
    yield id === undefined ? data : `id: ${id}\n${data}`;
  }
}

function eventText(event: RunEvent, answerer: string | null, maxText: number | undefined, maxBytes: number): string {
  const text = `event: event\ndata: ${JSON.stringify(wireEvent(event, maxText, answerer))}\n\n`;
  if (maxText === 0 || Buffer.byteLength(text) <= maxBytes) return text;
  return eventText(event, answerer, Math.floor(Math.min(maxText ?? maxBytes, maxBytes) / 2), maxBytes);
}
