import { createParser } from "eventsource-parser";

/** A response body, as it arrives. */
export type Chunks = AsyncGenerator<Uint8Array>;

/** What a server said about a stream, to continue it later. Filled while the stream is read. */
export interface StreamPlace {
  lastId?: string;
  retryMs?: number;
}

/**
 * Replaces each JSON event of an event stream by the events that `map` returns for it. Names and ids are dropped; `place` has
 * the last id.
 *
 * - Events without data, which keep a connection open, are dropped.
 * - Data that is not JSON is passed on unchanged, except at the end of the stream, where it was cut off.
 * - JSON outside of events becomes an event: some servers send an error that way, or a response in one piece.
 * - Events that are not separated by an empty line are separated.
 *
 * `isLast` recognizes the last event by its data. The stream ends with it, even if the connection stays open.
 */
export async function* mapEvents(
  chunks: AsyncIterable<Uint8Array>,
  map: (event: unknown, data: string) => unknown[],
  isLast: (data: string) => boolean = () => false,
  place: StreamPlace = {},
): Chunks {
  const decoder = new TextDecoder();
  let events: string[] = [];
  const strayLines: string[] = [];
  const parser = createParser({
    onEvent({ data, id }) {
      events.push(data);
      if (id) place.lastId = id;
    },
    onRetry: (milliseconds) => void (place.retryMs = milliseconds),
    onError: ({ type, line = "" }) => void (type === "unknown-field" && strayLines.push(line)),
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    const received = events.flatMap(separate);
    events = [];
    const mapped = received.flatMap((data) => mapData(data, map));
    if (mapped.length > 0) yield encode(mapped);
    if (received.some(isLast)) return;
  }
  parser.feed("\n\n");
  const last = events.flatMap(separate).filter((data) => parse(data) !== undefined);
  const stray = strayLines.join("\n");
  const value = parse(stray);
  if (value !== undefined) last.push(stray);
  const mapped = last.flatMap((data) => (data === "null" && value === null ? [data] : mapData(data, map)));
  if (mapped.length > 0) yield encode(mapped);
}

/** The data of the events in a stream of `mapEvents`, whose chunks contain whole events. */
export async function* mappedEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    for (const event of Buffer.from(chunk).toString().split("\n\n")) {
      if (event !== "") yield event.slice("data: ".length);
    }
  }
}

/** Splits data lines that are not one event: some servers leave out the empty line between events. */
function separate(data: string): string[] {
  return !data.includes("\n") || parse(data) !== undefined
    ? [data.trim()]
    : data.split("\n").map((line) => line.trim());
}

function mapData(data: string, map: (event: unknown, data: string) => unknown[]): string[] {
  const event = data === "" ? null : parse(data);
  if (event === null) return [];
  try {
    return event === undefined ? [data] : map(event, data).map((each) => JSON.stringify(each));
  } catch {
    return [data]; // nested too deep for JSON.stringify
  }
}

function encode(events: string[]): Uint8Array {
  return Buffer.from(events.map((data) => `data: ${data}\n\n`).join(""));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
