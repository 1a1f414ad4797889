import { isObject } from "../../json.ts";
import { type Chunks, mapEvents, type StreamPlace } from "../../net/sse.ts";

/** Failed attempts to continue a stream, after which its call fails. */
const maxAttempts = 3;

/** An event stream without an answer, by the id of its last event. */
type ClosedStreams = Map<string, { request: unknown; attempts: number }>;

/**
 * A `fetch` that lets a call end when its event stream ends. A server of 2025-11-25 may close a stream after an id, and be asked for
 * the answer with that id (SEP-1699, modelcontextprotocol/ruby-sdk#426). The MCP library asks it, but waits for ever for a stream that
 * ended without an id, that cannot be continued, or whose continuation has no id of its own. `repaired`: of a message and its text.
 */
export function continuingFetch(
  fetch: typeof globalThis.fetch,
  repaired: (message: unknown, text: string) => unknown,
): typeof globalThis.fetch {
  const closed: ClosedStreams = new Map();
  return async (input, init) => {
    const lastId = new Headers(init?.headers).get("last-event-id") ?? undefined;
    const continued = lastId === undefined ? undefined : closed.get(lastId);
    if (continued) continued.attempts++;
    const request = continued?.request ?? requestIn(init?.body);
    const isOver = continued !== undefined && continued.attempts >= maxAttempts;
    const response = await fetch(input, init).catch((error: unknown) => {
      if (!isOver || init?.signal?.aborted) throw error;
      return streamOf([failed(request, `it could not be asked for the answer again: ${(error as Error).message}`)]);
    });
    if (!response.ok && continued && (response.status < 500 || isOver)) {
      await response.body?.cancel();
      return streamOf([failed(request, `it could not be asked for the answer again (HTTP ${response.status})`)]);
    }
    const { status, headers, body } = response;
    if (response.ok && lastId !== undefined) closed.delete(lastId);
    if (!response.ok || !body || !headers.get("content-type")?.includes("event-stream")) return response;
    const place: StreamPlace = lastId === undefined ? {} : { lastId };
    const events = answerEvents(body, { repaired, request, place, closed, signal: init?.signal });
    return new Response(ReadableStream.from(events), { status, headers });
  };
}

interface AnswerStream {
  repaired: (message: unknown, text: string) => unknown;
  /** The id of the request that the stream answers. Undefined: it answers none. */
  request: unknown;
  place: StreamPlace;
  closed: ClosedStreams;
  signal: AbortSignal | null | undefined;
}

/** The events of a stream. At its end without an answer: the id to continue with, or an error as the answer. */
async function* answerEvents(
  body: AsyncIterable<Uint8Array>,
  { repaired, request, place, closed, signal }: AnswerStream,
): Chunks {
  let isAnswered = false;
  let problem = "it closed the stream without an answer";
  const map = (message: unknown, text: string): unknown[] => {
    isAnswered ||= isObject(message) && !("method" in message);
    return [repaired(message, text)];
  };
  try {
    yield* mapEvents(body, map, undefined, place);
  } catch (error) {
    if (request === undefined || signal?.aborted) throw error;
    problem = `its answer broke off: ${(error as Error).message}`;
  }
  if (isAnswered || request === undefined) return;
  const { lastId, retryMs } = place;
  if (lastId === undefined) return yield encoded(failed(request, problem));
  closed.set(lastId, { request, attempts: 0 });
  yield Buffer.from(`id: ${lastId}\n${retryMs === undefined ? "" : `retry: ${retryMs}\n`}data: \n\n`);
}

/** The id of the JSON-RPC request in a body. Undefined: it is a notification or no request. */
function requestIn(body: unknown): unknown {
  if (typeof body !== "string") return undefined;
  const message: unknown = JSON.parse(body);
  return isObject(message) && "method" in message ? message["id"] : undefined;
}

function failed(request: unknown, problem: string): object {
  return { jsonrpc: "2.0", id: request, error: { code: -32_000, message: `${problem}. Its effect is unknown` } };
}

const encoded = (message: object): Uint8Array => Buffer.from(`data: ${JSON.stringify(message)}\n\n`);

function streamOf(messages: object[]): Response {
  return new Response(Buffer.concat(messages.map(encoded)), { headers: { "content-type": "text/event-stream" } });
}
