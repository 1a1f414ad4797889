import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { pause } from "../async/backoff.ts";
import { log } from "../log.ts";
import { type ApiHandler, type ApiResponse, jsonResponse } from "../http/handler.ts";
import { byteBudget } from "../http/server/byte-budget.ts";
import { bodyHandler, nodeServer } from "../http/server/node-server.ts";
import { maxBodyBytes } from "../http/server/read-body.ts";
import { streamCheck, streamCheckPath } from "../http/server/stream-check.ts";
import { responseWriter } from "../http/server/write-response.ts";
import { acceptsSecret, healthPath, originSecretHeader } from "../http/server/origin-secret.ts";

const MiB = 1024 * 1024;

/** Sizes in bytes, times in milliseconds. */
export const limits = {
  body: maxBodyBytes,
  /** CloudFront rejects a larger `content-length` itself. A larger chunked body gets a closed connection. */
  drain: 32 * MiB,
  /** Of the bodies in progress, in all and with one key: 64 of the largest. The disk of the task has 20 GiB. */
  bodies: { all: 4096 * MiB, each: 1536 * MiB },
  headers: 10_000,
  idle: 10_000,
  /** A whole request, to its last byte: 14 MB at 0.75 Mbit/s. */
  request: 150_000,
  /** Longer than the load balancer keeps an idle connection (120 s), so that it never sends into a closed one. */
  keepAlive: 125_000,
  /** For requests in progress at SIGTERM; less than the 30 s until the process is killed. */
  shutdown: 25_000,
} as const;

export interface UploadServerOptions {
  handler: ApiHandler;
  /** Accepted values of the header `originSecretHeader`. */
  originSecrets: string[];
  /** Holds large bodies while they are received. */
  spoolDirectory: string;
  /** Called with the status of every response that was sent. */
  onResponse: (status: number) => void;
}

export interface UploadServer {
  server: Server;
  /**
   * Accepts no new requests, and ends streams, whose clients connect again. Resolves when the other requests in progress are
   * answered, or after `limits.shutdown`.
   */
  stop: () => Promise<void>;
}

/**
 * HTTP server for what API Gateway and Lambda do not do: creates over their limits, and streams that stay open. Reads or
 * discards the whole body before it responds: neither the load balancer nor Lambda forwards an early response.
 */
export function uploadServer({
  handler,
  originSecrets,
  spoolDirectory,
  onResponse,
}: UploadServerOptions): UploadServer {
  const isOriginSecret = acceptsSecret(originSecrets);
  const handle = bodyHandler(
    (request) => (request.path === streamCheckPath && request.method === "GET" ? streamCheck() : handler(request)),
    {
      maxBytes: limits.body,
      drainBytes: limits.drain,
      idleMilliseconds: limits.idle,
      spoolDirectory,
      budget: byteBudget(limits.bodies),
    },
  );
  const closing = new AbortController();
  const write = responseWriter(closing.signal);

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse, sendContinue?: () => void): Promise<void> {
    if (incoming.url === healthPath) return write(incoming, outgoing, jsonResponse(200, { status: "ok" }));
    const started = performance.now();
    const { response, complete } = isOriginSecret(incoming.headers[originSecretHeader])
      ? await handle(incoming, sendContinue)
      : forbidden;
    if (!complete || closing.signal.aborted) outgoing.setHeader("connection", "close");
    await write(incoming, outgoing, response);
    onResponse(response.status);
    log("info", "request", {
      requestId: response.headers["x-request-id"],
      method: incoming.method,
      path: incoming.url?.split("?", 1)[0],
      status: response.status,
      bytes: incoming.headers["content-length"],
      milliseconds: Math.round(performance.now() - started),
    });
  }

  const server = nodeServer(
    {
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: limits.keepAlive,
    },
    serve,
  );
  return {
    server,
    async stop() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await Promise.race([closed, pause(limits.shutdown)]);
      server.closeAllConnections();
    },
  };
}

/** The response to a request that did not come through CloudFront. Its body is not read. */
const forbidden: { response: ApiResponse; complete: boolean } = {
  response: jsonResponse(403, { detail: "Forbidden" }),
  complete: false,
};
