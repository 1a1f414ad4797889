import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { log } from "../../log.ts";
import { semaphore } from "../../async/semaphore.ts";
import { bodyBudget } from "./body-budget.ts";
import { announcedBytes, bodyOf } from "./read-body.ts";
import { type ApiHandler, type ApiResponse, jsonResponse } from "../handlers/middleware.ts";
import { eventOf, hostMissing, refusals, refuseInJson, respond, tooLarge } from "./request-event.ts";
import { acceptsSecret, healthPath, originSecretHeader } from "./origin-secret.ts";
import { routeOf } from "../routes.ts";

const MiB = 1024 * 1024;

/** Sizes in bytes, times in milliseconds; `working` is a number. */
export const largeBodyLimits = {
  /** 10 MiB of files are 13,981,016 characters of base64; what is left is for the input text and JSON. */
  body: 20 * MiB,
  /** How much of a body that is refused is read, and forgotten, before it is answered. */
  drain: 128 * MiB,
  head: 10_000,
  /** Between two pieces of a body. */
  silence: 10_000,
  /** A whole request, to its last byte: 14 MB at 0.75 Mbit/s. */
  request: 150_000,
  /** For memory, while other bodies have it. */
  memory: 60_000,
  /**
   * Creates that are worked on at a time. Each takes the processor for tens of milliseconds: more at once starve the
   * event loop, and connections to AWS opened meanwhile can time out.
   */
  working: 4,
  /** Longer than the load balancer keeps a connection that nobody uses (60 s), so that it never sends into a closed one. */
  idleConnection: 65_000,
  /** For requests under way when the process is told to end; less than the 30 s until it is killed. */
  shutdown: 25_000,
} as const;

export interface LargeBodyOptions {
  create: ApiHandler;
  /** Answers everything that is not a create. */
  notFound: ApiHandler;
  /** What CloudFront may send as `originSecretHeader`; a request without one of them is refused. */
  originSecrets: string[];
  /** Bytes for bodies in memory. */
  bodyMemory: number;
  /** Told the status of every answer that has left. */
  answered: (status: number) => void;
}

export interface LargeBodyServer {
  server: Server;
  /** No new requests; resolves when those under way are answered, or after `largeBodyLimits.shutdown`. */
  stop: () => Promise<void>;
}

/**
 * An HTTP server for the creates that API Gateway and Lambda's events are too small for. It reads every body to its end
 * before it answers, since its homes don't pass an answer on before that, unless the client waits to be asked for it.
 */
export function largeBodyServer(options: LargeBodyOptions): LargeBodyServer {
  const { create, notFound } = options;
  const knows = acceptsSecret(options.originSecrets);
  const budget = bodyBudget(options.bodyMemory, largeBodyLimits.memory);
  const inTurn = semaphore(largeBodyLimits.working);
  let stopping = false;

  /** `waits`: the client sends its body only when it is told to. */
  async function serve(request: IncomingMessage, response: ServerResponse, waits: boolean): Promise<void> {
    if (request.url === healthPath) return respond(response, jsonResponse(200, { status: "ok" }));
    const started = performance.now();
    const refused = refusal(request, waits);
    if (waits && !refused) response.writeContinue();
    const { answer, last } = refused ? { answer: refused, last: true } : await answerTo(request);
    if (last || stopping) response.setHeader("connection", "close");
    await respond(response, answer);
    options.answered(answer.statusCode ?? 200);
    log("info", "request", {
      requestId: answer.headers?.["x-request-id"],
      method: request.method,
      path: request.url?.split("?", 1)[0],
      status: answer.statusCode,
      bytes: request.headers["content-length"],
      milliseconds: Math.round(performance.now() - started),
    });
  }

  /** What is answered without the body; what the client still sends of it is not read. */
  function refusal(request: IncomingMessage, waits: boolean): ApiResponse | undefined {
    const noHost = hostMissing(request);
    if (noHost) return noHost;
    if (!knows(request.headers[originSecretHeader])) return jsonResponse(403, { detail: "Forbidden" });
    const { body, drain } = largeBodyLimits;
    return announcedBytes(request, body) > (waits ? body : drain) ? tooLarge : undefined;
  }

  /** `last`: the connection is of no more use. */
  async function answerTo(request: IncomingMessage): Promise<{ answer: ApiResponse; last: boolean }> {
    const { body: max, drain, silence } = largeBodyLimits;
    const share = budget.open(Math.min(announcedBytes(request, max), max));
    try {
      const received = await bodyOf(request, share, { max, drain, silence });
      if ("reason" in received) return { answer: refusals[received.reason], last: !received.complete };
      const answer = await inTurn(() => {
        const event = eventOf(request, received.body);
        received.body = noBody; // the event has it, and the handler lets go of that
        return (routeOf(request.method ?? "", event.rawPath)?.name === "create" ? create : notFound)(event);
      });
      return { answer, last: false };
    } finally {
      share.release();
    }
  }

  const timeouts = {
    headersTimeout: largeBodyLimits.head,
    requestTimeout: largeBodyLimits.request,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: largeBodyLimits.idleConnection,
    requireHostHeader: false,
  };
  const listener = (waits: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response, waits).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNRESET") log("error", "a request was given up", { error });
      response.destroy(); // the client went away: nobody to tell
    });
  };
  const server = createServer(timeouts, listener(false));
  server.on("checkContinue", listener(true));
  refuseInJson(server);

  return {
    server,
    async stop() {
      stopping = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await Promise.race([closed, pause(largeBodyLimits.shutdown, undefined, { ref: false })]);
      server.closeAllConnections();
    },
  };
}

const noBody = Buffer.alloc(0);
