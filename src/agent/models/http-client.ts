import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { bodilessStatuses, toHeaders } from "../../net/headers.ts";
import type { Chunks } from "../../net/sse.ts";
import { beginRequest } from "./exchange.ts";

/**
 * Milliseconds without data after which a call fails, before and after the first byte of the response. A model that
 * thinks first, or reads a long prompt on a small machine, sends nothing for minutes; once it writes, a minute of silence
 * means that the stream is lost. 240 s fits into the 300 s that `advance` reserves for its last step.
 */
export const defaultIdleTimeouts = { first: 240_000, next: 60_000 };

/**
 * Bytes of one response, to limit memory. A chunk per token takes about 250 bytes, so that 128,000 tokens take 32 MB.
 */
const maxResponseBytes = 64 * 1024 * 1024;
/** Bytes that are read of an error response. One sentence of it is kept. */
const maxErrorBytes = 256 * 1024;
/** Milliseconds that a server has to end a response after its last event. */
const maxDrainMs = 1_000;

export class IdleTimeout extends Error {
  constructor(milliseconds: number) {
    super(`no data received for ${milliseconds / 1_000} s`);
    this.name = "IdleTimeout";
  }
}

/** The server is not the provider's, or responds in another format. */
export class UnexpectedContentType extends Error {
  constructor(type: string) {
    super(`unexpected content type ${type}`);
    this.name = "UnexpectedContentType";
  }
}

export class ResponseTooLarge extends Error {
  constructor(bytes: number) {
    super(`response exceeds ${bytes} bytes`);
    this.name = "ResponseTooLarge";
  }
}

interface ModelFetchOptions {
  /** Milliseconds, before and after the first byte. Default: `defaultIdleTimeouts`. */
  idleTimeout?: number | { first: number; next: number } | undefined;
  /** Accepted content types of a successful response. */
  type: RegExp;
  /** Transforms the body of a successful response. The connection is released when it stops reading. */
  transform?: (chunks: Chunks) => Chunks;
}

/**
 * A `fetch` for model servers. It differs from the global one, which takes twice the time:
 *
 * - It rejects with `IdleTimeout` and closes the connection when the server sends no data for too long.
 * - It rejects with `UnexpectedContentType`, and reading the body with `ResponseTooLarge`.
 * - It truncates error responses.
 * - It does not follow redirects, because the credentials are not for another server.
 */
export function createModelFetch({
  idleTimeout = defaultIdleTimeouts,
  type,
  transform,
}: ModelFetchOptions): typeof fetch {
  const { first, next } = typeof idleTimeout === "number" ? { first: idleTimeout, next: idleTimeout } : idleTimeout;
  return async (input, init = {}) => {
    const { method = "GET", body, signal } = init;
    signal?.throwIfAborted();
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = { accept: "*/*", ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" };
    const { request } = url.protocol === "https:" ? https : http;
    const outgoing = request(url, { method, headers, timeout: first, ...(signal && { signal }) });
    outgoing.on("error", ignoreError);
    let active: ClientRequest | IncomingMessage = outgoing;
    let current = first;
    outgoing.on("timeout", () => active.destroy(new IdleTimeout(current)));
    const report = beginRequest(body);
    outgoing.end(body);
    const incoming = await waitForResponse(outgoing).catch((error: unknown) => {
      report();
      throw error;
    });
    incoming.on("error", ignoreError);
    active = incoming;
    const status = Math.min(incoming.statusCode ?? 502, 599); // the highest status of a Response
    const head = { status, statusText: incoming.statusMessage ?? "", headers: toHeaders(incoming) };
    report(head);
    const ok = status >= 200 && status < 300;
    const contentType = head.headers.get("content-type");
    if (ok && contentType !== null && !type.test(contentType)) {
      incoming.destroy();
      throw new UnexpectedContentType(contentType);
    }
    if (bodilessStatuses.has(status)) {
      incoming.resume();
      return new Response(null, head);
    }
    const chunks = readBody(incoming, ok, () => outgoing.setTimeout((current = next)));
    return new Response(toStream(ok && transform ? transform(chunks) : chunks, incoming), head);
  };
}

function waitForResponse(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    // A response that switches protocols emits neither a response nor an error.
    outgoing.once("close", () => reject(Object.assign(new Error("closed without a response"), { code: "ECONNRESET" })));
  });
}

/** The awaiting caller handles the rejection. Without a listener, an error event would end the process. */
function ignoreError(): void {}

async function* readBody(incoming: IncomingMessage, ok: boolean, onFirst: () => void): Chunks {
  let size = 0;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (size === 0) onFirst();
      size += chunk.length;
      if (ok && size > maxResponseBytes) throw new ResponseTooLarge(maxResponseBytes);
      if (!ok && size > maxErrorBytes) return;
      yield chunk;
    }
  } catch (error) {
    incoming.destroy();
    throw error;
  } finally {
    releaseConnection(incoming);
  }
}

/** Keeps the connection for the next call if the response ends soon. A new TLS connection takes three round trips. */
function releaseConnection(incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return;
  incoming.resume();
  const timer = setTimeout(() => incoming.destroy(), maxDrainMs).unref();
  incoming.once("close", () => clearTimeout(timer));
}

/** Closes the connection when the reader cancels. `ReadableStream.from` would wait for the next chunk. */
function toStream(chunks: Chunks, incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        incoming.destroy();
        await chunks.return(undefined).catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}
