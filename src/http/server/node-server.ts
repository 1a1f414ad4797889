import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { unescape } from "node:querystring";
import type { Duplex } from "node:stream";
import { scheduler } from "../../async/scheduler.ts";
import { log } from "../../log.ts";
import { type ApiHandler, type ApiRequest, type ApiResponse, jsonResponse } from "../handler.ts";
import { addRequestId } from "../middleware.ts";
import { ownerOf } from "./byte-budget.ts";
import type { BodyLimits, ReceivedBody } from "./read-body.ts";
import { requestBody } from "./request-body.ts";

/**
 * Large bodies that are read from disk, parsed and stored at a time. Each takes the processor for tens of milliseconds
 * and 38 MB for 14 MB: text, parsed strings and decoded files. More at once would starve the event loop, so that
 * connections to AWS time out while they are opened. One key gets at most three of them.
 */
const largeBodiesAtATime = 4;

/** Handles a request. `sendContinue`: present if the client waits for a 100 before it sends the body. */
type Listener = (request: IncomingMessage, response: ServerResponse, sendContinue?: () => void) => Promise<void>;

/** A node:http server that answers in JSON where Node's own responses to malformed requests have no body. */
export function nodeServer(options: ServerOptions, listener: Listener): Server {
  const latest = new WeakMap<Duplex, { request: IncomingMessage; answered: Promise<void> }>();
  const handle: Listener = (request, response, sendContinue) => {
    const answered = listener(request, response, sendContinue).catch((error: unknown) => {
      log("error", "request failed", { error });
      response.destroy();
    });
    latest.set(request.socket, { request, answered });
    return answered;
  };
  const server = createServer(options, (request, response) => void handle(request, response));
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    void handle(request, response, () => response.writeContinue());
  });
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket: Duplex) => {
    const reject = (): void => rejectConnection(socket, clientErrors[code] ?? 400);
    // A body longer than its Content-Length is a request followed by bytes that are not one: both get a response.
    const before = latest.get(socket);
    if (before?.request.complete) void before.answered.then(reject);
    else reject();
  });
  return server;
}

const clientErrors: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Calls the handler, which reads the body when it has accepted the credential: until then, nothing is received, and a
 * client that waits for a 100 does not get it. Large bodies wait for their turn. `closing`: aborts when the server closes.
 */
export function bodyHandler(
  handler: ApiHandler,
  limits: BodyLimits,
): (
  request: IncomingMessage,
  sendContinue?: () => void,
  closing?: AbortSignal,
) => Promise<{ response: ApiResponse; complete: boolean }> {
  const inTurn = scheduler({ places: largeBodiesAtATime });
  // The text of a body and its strings take up to 76 MB of the heap, which has 256 MB on Fargate.
  const parseInTurn = scheduler({ places: 1 });
  return async (incoming, sendContinue, closing) => {
    const ambiguous = rejectAmbiguous(incoming);
    if (ambiguous) return { response: ambiguous, complete: false };
    const client = watchClient(incoming, closing);
    const body = requestBody(incoming, limits, sendContinue);
    const handled = Promise.withResolvers<void>();
    let received: ReceivedBody | undefined;

    async function parseBody<Value>(parse: (raw: string | Uint8Array) => Promise<Value>): Promise<Value> {
      const owner = ownerOf(incoming);
      const { spooled, read } = (received = await body.receive(owner));
      if (!spooled) return parse(await read());
      const parsed = Promise.withResolvers<Value>();
      const work = (): Promise<void> => {
        parsed.resolve(parseInTurn.run([owner], async () => parse(await read())));
        return handled.promise;
      };
      void inTurn.run([owner], work);
      return parsed.promise;
    }

    const request = {
      ...apiRequest(incoming),
      parseBody,
      bodyChunks: body.chunks,
      whileConnected: client.whileConnected,
    };
    let response: ApiResponse;
    try {
      response = await handler(request);
    } finally {
      handled.resolve();
      client.end();
      if (received) await received.discard();
    }
    return { response, complete: await body.finish() };
  };
}

/**
 * See `ApiRequest`. Few handlers ask for the signal: made for each request, it took 4 % of a poll. `end` removes its
 * listeners; `using` would take 1 % of a poll.
 */
function watchClient(
  { socket }: IncomingMessage,
  closing?: AbortSignal,
): Required<Pick<ApiRequest, "whileConnected">> & { end: () => void } {
  let gone: AbortController | undefined;
  const leave = (): void => gone?.abort();
  return {
    whileConnected() {
      if (!gone) {
        gone = new AbortController();
        if (socket.destroyed || socket.readableEnded) leave();
        socket.once("close", leave);
        socket.once("end", leave); // a server that allows half-open connections sees no close
      }
      return closing ? AbortSignal.any([gone.signal, closing]) : gone.signal;
    },
    end() {
      if (gone) socket.off("close", leave).off("end", leave);
    },
  };
}

/**
 * The response to a request that another server could read in another way. Node accepts both of these:
 * - two `Host` headers (RFC 9112, 3.2),
 * - a transfer coding besides `chunked` (6.1), such as a body that is compressed for the transfer.
 */
function rejectAmbiguous({ headers, rawHeaders }: IncomingMessage): ApiResponse | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") hosts++;
  const codings = headers["transfer-encoding"] ?? "chunked"; // all of them: Node joins these headers
  if (hosts > 1) return errorResponse(400, `The request has ${hosts} Host headers; send one`);
  if (codings.trim().toLowerCase() === "chunked") return undefined;
  return errorResponse(501, "The only supported Transfer-Encoding is chunked; send the body without compression");
}

/** A node:http request as handlers read it, without its body. */
function apiRequest({ method = "GET", url = "/", headers }: IncomingMessage): Omit<ApiRequest, "parseBody"> {
  return {
    id: randomUUID(),
    method,
    path: pathOf(url),
    query: queryOf(url),
    parameters: {},
    headers: headers as ApiRequest["headers"],
  };
}

/** The path of a request's URL, percent-decoded, without the query. */
export function pathOf(url: string): string {
  // Clients with a configured proxy send a whole URL instead of a path (RFC 9112, 3.2.2).
  const path = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const encoded = path.split("?", 1)[0] || "/";
  return encoded.includes("%") ? unescape(encoded) : encoded; // /v1/agent%73 is the same path (RFC 3986, 2.3)
}

/** The query of a request's URL. */
function queryOf(url: string): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : url.slice(at));
}

function errorResponse(status: number, detail = STATUS_CODES[status]): ApiResponse {
  return addRequestId(jsonResponse(status, { detail }), randomUUID());
}

/** Answers on a connection whose request could not be parsed, and closes it. */
function rejectConnection(socket: Duplex, status: number): void {
  if (!socket.writable) return void socket.destroy();
  const body = String(errorResponse(status).body);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`, () => socket.destroy());
}
