import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { ApiResponse, StreamBody } from "../handler.ts";

/** Counts bytes that wait for a client. Undefined: its key already lets too many wait. Disposal ends the wait. */
export type Waiting = (bytes: number) => Disposable | undefined;

/**
 * Sends a stream, with backpressure. Resolves when it has ended, the client is gone, or `closing` has aborted. Events, and a
 * response that is not whole, close the connection. The latter ends without its end: its client sees that it is cut.
 */
export async function writeStream(
  response: ServerResponse,
  { status, headers, body }: ApiResponse & { body: StreamBody },
  closing: AbortSignal,
  wait: Waiting,
): Promise<void> {
  // Events continue until the client leaves. It may do so before there is a response, by ending its side of the connection.
  const isEndless = headers["content-type"] === "text/event-stream";
  if (isEndless && response.socket?.readableEnded) return void response.destroy();
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once("close", leave);
  if (isEndless) response.socket?.once("end", leave); // a server that allows half-open connections sees no close
  const signal = AbortSignal.any([gone.signal, closing]);
  response.writeHead(status, isEndless ? { ...headers, connection: "close" } : headers);
  let isWhole = false;
  try {
    const bytes = await sendAll(response, body(signal), signal, wait);
    // A download ends early when its credential does.
    isWhole = bytes !== undefined && (headers["content-length"] ?? String(bytes)) === String(bytes);
  } finally {
    if (isWhole || (signal.aborted && isEndless)) response.end();
    else response.destroy();
  }
}

/**
 * Bytes that a response sends in a tick of the event loop. A client that takes all it gets would have 27 MB made for it in one, which
 * takes 0.1 s.
 */
const bytesPerTick = 64 * 1024;

/** Resolves with the number of bytes. Undefined: not all parts were sent. */
async function sendAll(
  response: ServerResponse,
  parts: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
  wait: Waiting,
): Promise<number | undefined> {
  let bytes = 0;
  let inTick = 0;
  for await (const part of parts) {
    if (signal.aborted) return undefined;
    const length = Buffer.byteLength(part);
    bytes += length;
    inTick += length;
    if (inTick >= bytesPerTick) {
      inTick = 0;
      await setImmediate();
    }
    if (response.write(part)) continue;
    using waiting = wait(length);
    if (!waiting) return undefined;
    await once(response, "drain", { signal }).catch(() => {});
  }
  return signal.aborted ? undefined : bytes;
}
