import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { bodilessStatuses, toHeaders } from "../../../net/headers.ts";
import type { Chunks } from "../../../net/sse.ts";
import { beginRequest, usageListener } from "./exchange.ts";
import { readBody } from "./response-body.ts";

/**
 * Milliseconds without data after which a call fails, before and after the first byte of the response. A model that
 * thinks first, or reads a long prompt on a small machine, sends nothing for minutes; once it writes, a minute of silence
 * means that the stream is lost. 240 s fits into the 300 s that `advance` reserves for its last step.
 */
export const defaultIdleTimeouts = { first: 240_000, next: 60_000 };

/** Milliseconds of silence that end a response after its finish reason. Token counts follow it within milliseconds. */
const maxSilentEndMs = 5_000;

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

interface ModelClientOptions {
  /** Milliseconds, before and after the first byte. Default: `defaultIdleTimeouts`. */
  idleTimeout?: number | { first: number; next: number } | undefined;
  /** Accepted content types of a successful response. */
  type: RegExp;
}

/** A response of a model server. */
export interface ModelResponse {
  ok: boolean;
  status: number;
  statusText: string;
  headers: Headers;
  /** The decoded body. The connection is released when it is no longer read. Error responses are truncated. */
  chunks: Chunks;
  /** The response is complete but for what may follow its finish reason: from here on, a short silence is its end. */
  expectEnd: () => void;
  /** Closes the connection. */
  close: () => void;
  /** Records the token counts of a response that may still fail. */
  onUsage: (usage: LanguageModelV4Usage) => void;
}

/** Sends a request to a model server. Resolves when the response begins. */
export type SendRequest = (url: string, init: RequestInit) => Promise<ModelResponse>;

/**
 * Returns a client for model servers. It differs from the global `fetch`, which takes twice the time:
 *
 * - It rejects with `IdleTimeout` and closes the connection when the server sends no data for too long.
 * - It rejects with `UnexpectedContentType`, and reading the body with `ResponseTooLarge` or `UndecodableBody`.
 * - It truncates error responses.
 * - It does not follow redirects, because the credentials are not for another server.
 */
export function createModelClient({ idleTimeout = defaultIdleTimeouts, type }: ModelClientOptions): SendRequest {
  const { first, next } = typeof idleTimeout === "number" ? { first: idleTimeout, next: idleTimeout } : idleTimeout;
  return async (input, init) => {
    const { method = "GET", body, signal } = init;
    signal?.throwIfAborted();
    const url = new URL(input);
    const usual = { accept: "*/*", "user-agent": "agent-run-service" };
    const headers = { ...usual, ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" };
    const { request } = url.protocol === "https:" ? https : http;
    const outgoing = request(url, { method, headers, timeout: first, ...(signal && { signal }) });
    outgoing.on("error", ignoreError);
    let active: ClientRequest | IncomingMessage = outgoing;
    let current = first;
    outgoing.on("timeout", () => active.destroy(new IdleTimeout(current)));
    const waitAtMost = (milliseconds: number): void => void outgoing.setTimeout((current = milliseconds));
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
    return {
      ok,
      ...head,
      chunks: readBody(incoming, ok, () => waitAtMost(next)),
      expectEnd: () => waitAtMost(Math.min(next, maxSilentEndMs)),
      close: () => void incoming.destroy(),
      onUsage: usageListener(),
    };
  };
}

/** The client as a `fetch`. `transform`: transforms the body of a successful response. */
export function createModelFetch({
  transform,
  ...options
}: ModelClientOptions & { transform?: (response: ModelResponse) => Chunks }): typeof fetch {
  const send = createModelClient(options);
  return async (input, init = {}) => {
    const response = await send(input instanceof Request ? input.url : String(input), init);
    const { ok, status, statusText, headers, chunks, close } = response;
    const head = { status, statusText, headers };
    if (!bodilessStatuses.has(status)) {
      return new Response(toStream(ok && transform ? transform(response) : chunks, close), head);
    }
    await chunks.next();
    return new Response(null, head);
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

/** Closes the connection when the reader cancels. `ReadableStream.from` would wait for the next chunk. */
function toStream(chunks: Chunks, close: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        close();
        await chunks.return(undefined).catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}
