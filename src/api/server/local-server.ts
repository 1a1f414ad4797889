import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ApiEvent, ApiHandler, ApiResponse } from "../handlers/middleware.ts";
import { maxTimer } from "../../async/backoff.ts";
import { bodyBudget } from "./body-budget.ts";
import { announcedBytes, bodyOf } from "./read-body.ts";
import { eventOf, hostMissing, largeBody, refusals, refuseInJson, respond, tooLarge } from "./request-event.ts";
import { type OperationName, routeOf } from "../routes.ts";

/** The handlers that an HTTP home serves. `notFound` answers whatever the operations' do not. */
export type ApiHandlers = Record<OperationName | "notFound", ApiHandler>;

const MiB = 1024 * 1024;

/** Bytes. The largest body the contract can need is 13,981,016 characters of base64 and an input text of open length. */
const maxBody = 64 * MiB;
/** Bytes of bodies over `largeBody` that are in memory at a time; others wait for so many milliseconds, then are 503. */
const [bodyMemory, memoryWait] = [512 * MiB, 60_000];
/** Node itself ends a request that takes 300 s. */
const limits = { max: maxBody, drain: Infinity, silence: maxTimer };

/** A node:http server in front of the handlers: requests become events of payload format 2.0, as API Gateway's. */
export function httpServer(handlers: ApiHandlers): Server {
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, (request, response) => {
    serve(request, response).catch(() => response.destroy()); // the client went away: nobody to tell
  });
  // A client may end its side once its request is sent, and still wants the answer. Node has the switch, its types don't.
  Object.assign(server, { httpAllowHalfOpen: true });
  refuseInJson(server);
  const budget = bodyBudget(bodyMemory, memoryWait);
  return server;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const announced = announcedBytes(request, maxBody);
    const answer = await (announced > largeBody
      ? largeAnswer(request, Math.min(announced, maxBody))
      : dispatch(handlers, request, await smallBodyOf(request, announced)));
    if (!server.listening) response.setHeader("connection", "close"); // it is ending, and waits for open connections
    await respond(response, answer);
  }

  async function largeAnswer(request: IncomingMessage, announced: number): Promise<ApiResponse> {
    const share = budget.open(announced);
    try {
      const received = await bodyOf(request, share, limits);
      if ("reason" in received && received.reason !== "too large") return refusals[received.reason];
      const answer = dispatch(handlers, request, "body" in received ? received.body : undefined);
      if ("body" in received) received.body = noBody; // the event has it, and the handler lets go of that
      return await answer;
    } finally {
      share.release();
    }
  }
}

function dispatch(
  handlers: ApiHandlers,
  request: IncomingMessage,
  body: Buffer | undefined,
): Promise<ApiResponse> | ApiResponse {
  const refused = hostMissing(request);
  if (refused) return refused;
  const event = eventOf(request, body ?? noBody);
  const route = routeOf(event.requestContext.http.method, event.rawPath);
  if (!route) return handlers.notFound(event);
  if (route.name === "create" && !body) return tooLargeFrom(handlers.create, event);
  event.pathParameters = route.parameters;
  return handlers[route.name](event);
}

/** Who calls is looked at first, as with every other body; without one, nothing is created. */
async function tooLargeFrom(create: ApiHandler, event: ApiEvent): Promise<ApiResponse> {
  const answer = await create(event);
  return answer.statusCode === 401 ? answer : tooLarge;
}

/** A body of no more than `largeBody`. Without an announcement there is none, and nothing to wait for: 10 µs of a poll. */
function smallBodyOf(request: IncomingMessage, announced: number): Promise<Buffer> | Buffer {
  if (announced === 0 && !("content-length" in request.headers)) return noBody;
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("aborted", () => reject(new Error("the client went away")));
  });
}

const noBody = Buffer.alloc(0);
