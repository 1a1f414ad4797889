import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { ApiResponse, StreamBody } from "../handlers/handler.ts";

/**
 * Sends a stream, with backpressure. Resolves when it has ended, the client is gone, or `closing` has aborted. The
 * connection is closed with it.
 */
export async function writeStream(
  response: ServerResponse,
  { status, headers, body }: ApiResponse & { body: StreamBody },
  closing: AbortSignal,
): Promise<void> {
  // A client that left before there was a response: its events are over.
  if (response.destroyed || response.socket?.readableEnded) return void response.destroy();
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once("close", leave);
  response.socket?.once("end", leave); // a server that allows half-open connections sees no close
  const signal = AbortSignal.any([gone.signal, closing]);
  response.writeHead(status, { ...headers, connection: "close" });
  try {
    for await (const part of body(signal)) {
      if (signal.aborted) break;
      if (!response.write(part)) await once(response, "drain", { signal }).catch(() => {});
    }
  } finally {
    response.end();
  }
}
