import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import type { Chunks } from "../../net/sse.ts";
import { bodilessStatuses, toHeaders } from "../../net/headers.ts";

/**
 * Milliseconds without a byte after which a model server is given up. Servers that stream send something every few
 * seconds, but one that thinks first, or reads a long prompt on a small machine, is silent for minutes; 240 s fits into
 * the 300 s that `advance` keeps for its last step.
 */
const defaultIdleTimeout = 240_000;

/**
 * Bytes of one answer on the wire. A chunk for each token has some 250 bytes with all around it, so that 128,000 tokens
 * take 32 MB; a server that never ends would take all the memory there is.
 */
const maxResponseBytes = 64 * 1024 * 1024;
/** Characters of the longest last line, with the line breaks around it. */
const maxLast = 200;
/** Bytes that are read of an error, of which a sentence is kept. */
const maxErrorBytes = 256 * 1024;
/** Milliseconds that a server may take to end an answer of which nothing more is to come. */
const maxDrainMs = 1_000;

/** The server sent nothing for too long. */
export class IdleTimeout extends Error {
  constructor(milliseconds: number) {
    super(`no data received for ${milliseconds / 1_000} s`);
    this.name = "IdleTimeout";
  }
}

/** What answered is another server than the provider's, or answers in another way. */
export class UnexpectedContentType extends Error {
  constructor(type: string) {
    super(`unexpected content type ${type}`);
    this.name = "UnexpectedContentType";
  }
}

/** The answer has no end. */
export class ResponseTooLarge extends Error {
  constructor(bytes: number) {
    super(`response exceeds ${bytes} bytes`);
    this.name = "ResponseTooLarge";
  }
}

/**
 * A `fetch` for model servers. It gives a server up when nothing comes from it for `silence` milliseconds, no head of
 * an answer or no further byte of its body: the connection is closed then, and the call or the reading of the body
 * rejects with `Silence`. An answer whose content type does not match `type` rejects with `OtherContent`, reading
 * one that is too long with `TooLong`; an error is cut off there. Redirections are not followed, but are the answer.
 *
 * `last`: what the last line of an answer is. The body ends with it, whatever becomes of the connection: an answer that
 * is complete and paid for is not given up because a proxy keeps its connection open, or breaks it.
 * `read`: makes the body out of what came, unless that is an error.
 */
export function modelFetch({
  silence = defaultIdleTimeout,
  type,
  last,
  read = (chunks) => chunks,
}: {
  silence?: number | undefined;
  type: RegExp;
  last?: RegExp;
  read?: (chunks: Chunks) => Chunks;
}): typeof fetch {
  return async (input, init = {}) => {
    const { method = "GET", body, signal } = init;
    signal?.throwIfAborted();
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = { accept: "*/*", ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" };
    // The global `fetch` takes twice the time, and would follow redirections to servers that the credentials are not for.
    const outgoing = (url.protocol === "https:" ? https : http).request(url, { method, headers });
    const watch = watchConnection(outgoing, silence, signal ?? undefined);
    try {
      outgoing.end(body);
      const incoming = await responseHead(outgoing);
      watch.goOn(incoming);
      const status = Math.min(incoming.statusCode ?? 502, 599); // a Response takes no other
      const answer = { status, statusText: incoming.statusMessage ?? "", headers: toHeaders(incoming) };
      const ok = status >= 200 && status < 300;
      const contentType = answer.headers.get("content-type");
      if (ok && contentType !== null && !type.test(contentType)) {
        incoming.destroy();
        throw new UnexpectedContentType(contentType);
      }
      if (bodilessStatuses.has(status)) {
        incoming.resume();
        watch.end();
        return new Response(null, answer);
      }
      const chunks = ok ? read(wholeAnswer(incoming, watch, last)) : startOfError(incoming, watch);
      return new Response(bodyOf(chunks, incoming), answer);
    } catch (error) {
      watch.end();
      throw error;
    }
  };
}

/** The answer, once its head is there. */
function responseHead(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    // An answer that asks for another protocol is none, and no error either.
    outgoing.once("close", () =>
      reject(Object.assign(new Error("it ended without an answer"), { code: "ECONNRESET" })),
    );
  });
}

interface Watch {
  heard(): void;
  /** What is broken off from now on. */
  goOn(exchange: IncomingMessage): void;
  end(): void;
}

/** Breaks a call off when nothing is heard for `silence` milliseconds, and when its caller gives it up. */
function watchConnection(outgoing: ClientRequest, silence: number, signal: AbortSignal | undefined): Watch {
  let exchange: ClientRequest | IncomingMessage = outgoing;
  outgoing.on("error", ignoreError);
  const timer = setTimeout(() => exchange.destroy(new IdleTimeout(silence)), silence);
  const abort = (): void => void exchange.destroy(signal?.reason as Error);
  signal?.addEventListener("abort", abort, { once: true });
  return {
    heard: () => void timer.refresh(),
    goOn(incoming) {
      timer.refresh();
      exchange = incoming;
      incoming.on("error", ignoreError);
    },
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

/** Whoever waits for the answer is told; an error that nobody listens for would end the process. */
function ignoreError(): void {}

/** Unlike `ReadableStream.from`, which ends a connection only with its next chunk when nobody reads on. */
function bodyOf(chunks: Chunks, incoming: IncomingMessage): ReadableStream<Uint8Array> {
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

async function* wholeAnswer(incoming: IncomingMessage, watch: Watch, last?: RegExp): Chunks {
  let size = 0;
  let tail = "";
  let complete = false;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      watch.heard();
      size += chunk.length;
      if (size > maxResponseBytes) throw new ResponseTooLarge(maxResponseBytes);
      yield chunk;
      if (!last) continue;
      tail = (tail + chunk.toString("latin1")).slice(-maxLast);
      if (last.test(tail)) break;
    }
    complete = true;
  } finally {
    watch.end();
    if (complete) releaseConnection(incoming);
    else incoming.destroy();
  }
}

async function* startOfError(incoming: IncomingMessage, watch: Watch): Chunks {
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      watch.heard();
      size += chunk.length;
      if (size > maxErrorBytes) return;
      yield chunk;
    }
  } finally {
    watch.end();
  }
}

/** A connection whose answer ends in time carries the next call: over TLS, a new one takes three times the distance. */
function releaseConnection(incoming: IncomingMessage): void {
  if (incoming.readableEnded) return;
  incoming.resume();
  const timer = setTimeout(() => incoming.destroy(), maxDrainMs).unref();
  incoming.once("close", () => clearTimeout(timer));
}
