import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { scheduler } from "../../async/scheduler.ts";
import { log } from "../../log.ts";
import type { ApiHandler, ApiRequest, ApiResponse } from "../handler.ts";
import { ownerOf } from "./byte-budget.ts";
import { parserAnswer, rawAnswer, refusal, urlIn } from "./early-answer.ts";
import type { BodyLimits, ReceivedBody } from "./read-body.ts";
import { requestBody } from "./request-body.ts";
import { pathOf } from "./request-path.ts";

/**
 * Large bodies that are read from disk, parsed and stored at a time. Each takes the processor for tens of milliseconds
 * and 38 MB for 14 MB: text, parsed strings and decoded files. More at once would starve the event loop, so that
 * connections to AWS time out while they are opened. One key gets at most three of them.
 */
const largeBodiesAtATime = 4;

/** Handles a request. `sendContinue`: present if the client waits for a 100 before it sends the body. */
type Listener = (request: IncomingMessage, response: ServerResponse, sendContinue?: () => void) => Promise<void>;

/**
 * Requests of one connection that are handled before the first of them is answered. Node.js hands over all that it has read,
 * hundreds of them, and 200 connections that sent so many stopped other requests for 5 s.
 */
const maxUnanswered = 20;
/** Further ones are passed over, up to this number: then the client is disconnected. */
const maxReceived = 2_000;
/** Time in which a client reads that its connection is closed. */
const closingMilliseconds = 5_000;

interface Connection {
  /** The last request that is handled. */
  request: IncomingMessage;
  /** Resolves when it is answered. */
  answered: Promise<void>;
  /** Requests without an answer. From `maxUnanswered` on, it only rises. */
  unanswered: number;
}

/** A node:http server that answers in JSON where Node's own responses to malformed requests have no body. */
export function nodeServer(options: ServerOptions, listener: Listener): Server {
  const connections = new WeakMap<Duplex, Connection>();
  const handle = (request: IncomingMessage, response: ServerResponse, sendContinue?: () => void): void => {
    const { socket } = request;
    const before = connections.get(socket);
    const connection = before ?? { request, answered: Promise.resolve(), unanswered: 0 };
    if (!before) connections.set(socket, connection);
    if (++connection.unanswered > maxReceived) socket.destroy();
    if (connection.unanswered > maxUnanswered) return;
    // Its answer is the connection's last one, and says so: what follows was not handled (RFC 9112, 9.6).
    if (connection.unanswered === maxUnanswered) {
      response.setHeader("connection", "close");
      socket.destroySoon = () => closeInStages(socket);
    }
    connection.request = request;
    connection.answered = answer(connection, request, response, sendContinue);
  };
  async function answer(
    connection: Connection,
    request: IncomingMessage,
    response: ServerResponse,
    sendContinue: (() => void) | undefined,
  ): Promise<void> {
    try {
      await listener(request, response, sendContinue);
    } catch (error) {
      log("error", "request failed", { error });
      response.destroy();
    }
    if (connection.unanswered < maxUnanswered) connection.unanswered--;
  }
  // `refusal` answers requests without a Host header and with other expectations.
  const server = createServer({ ...options, requireHostHeader: false }, handle);
  server.on("checkExpectation", handle);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response, () => response.writeContinue());
  });
  server.on("clientError", ({ code = "", rawPacket }: ClientError, socket: Socket) => {
    // A client that opens connections before it needs them would read an answer here as that to its first request.
    if (code === "ERR_HTTP_REQUEST_TIMEOUT" && socket.bytesRead === 0) return void socket.destroy();
    const before = connections.get(socket);
    const url = before?.request.complete === false ? before.request.url : urlIn(rawPacket);
    const reject = (): void => rejectConnection(socket, parserAnswer(url, code));
    // A body longer than its Content-Length is a request followed by bytes that are not one: both get a response.
    if (before?.request.complete) void before.answered.then(reject);
    else reject();
  });
  // Without this listener, Node closes the connection at once, and the response to an earlier request on it is lost.
  server.on("connect", (_: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    void (connections.get(socket)?.answered ?? Promise.resolve()).then(() => socket.end());
  });
  return server;
}

/** Closes a connection on which the client still sends. At once, this would reset it, and answers on their way would be lost. */
function closeInStages(socket: Socket): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), closingMilliseconds);
  socket.once("close", () => clearTimeout(timer));
}

/** `rawPacket`: what the parser could not read. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer };

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
    const refused = refusal(incoming);
    if (refused) return { response: refused, complete: false };
    const client = watchClient(incoming, closing);
    const body = requestBody(incoming, limits, sendContinue);
    let handled: PromiseWithResolvers<void> | undefined;
    let free: ReceivedBody["discard"] | undefined;

    async function parseBody<Value>(parse: (raw: string | Uint8Array) => Promise<Value>): Promise<Value> {
      const owner = ownerOf(incoming);
      const received = await body.receive(owner);
      free = received.discard;
      if ("content" in received) return await parse(received.content);
      const { readFile } = received;
      const ended = (handled = Promise.withResolvers<void>());
      const parsed = Promise.withResolvers<Value>();
      const work = (): Promise<void> => {
        parsed.resolve(parseInTurn.run([owner], async () => parse(await readFile())));
        return ended.promise;
      };
      void inTurn.run([owner], work);
      return await parsed.promise;
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
      handled?.resolve();
      client.end();
      const freeing = free?.();
      if (freeing) await freeing;
    }
    const finished = body.finish();
    return { response, complete: typeof finished === "boolean" ? finished : await finished };
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

/** The query of a request's URL. */
function queryOf(url: string): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : url.slice(at));
}

/** Answers on a connection whose request could not be parsed, and closes it. */
function rejectConnection(socket: Duplex, answer: ApiResponse): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(rawAnswer(answer), () => socket.destroy());
}
