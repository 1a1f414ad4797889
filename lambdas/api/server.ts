import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ApiEvent, ApiHandler, ApiResponse } from "./chain.ts";
import { eventOf, hostMissing, refuseInJson, respond, tooLarge } from "./http-event.ts";
import { type OperationName, routeOf } from "./routes.ts";

/** The handlers that an HTTP home serves. `notFound` answers whatever the operations' do not. */
export type ApiHandlers = Record<OperationName | "notFound", ApiHandler>;

// The largest body the contract can need is 13,981,016 base64 characters of files and an input text of open length.
const maxBodyBytes = 64 * 1024 * 1024;

/** A node:http server in front of the handlers: requests become events of payload format 2.0, as API Gateway's. */
export function httpServer(handlers: ApiHandlers): Server {
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, (request, response) => {
    serve(request, response).catch(() => response.destroy()); // the client went away: nobody to tell
  });
  // A client may end its side once its request is sent, and still wants the answer. Node has the switch, its types don't.
  Object.assign(server, { httpAllowHalfOpen: true });
  refuseInJson(server);
  return server;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await dispatch(handlers, request, await bodyOf(request));
    if (!server.listening) response.setHeader("connection", "close"); // it is ending, and waits for open connections
    await respond(response, answer);
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

/** The whole body; undefined when it is larger than any this API can need. Read to its end, so that clients listen. */
function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> | Buffer {
  // Without these there is no body (RFC 9112, 6.3); waiting for its end cost a poll 10 µs.
  if (!("content-length" in request.headers || "transfer-encoding" in request.headers)) return noBody;
  const length = Number(request.headers["content-length"]);
  const room = length > 0 && length <= maxBodyBytes ? Buffer.allocUnsafeSlow(length) : undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      // Copied to its place at once where the length is known: chunks that are kept would double the memory.
      if (room) chunk.copy(room, size);
      else if (size + chunk.length <= maxBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
      size += chunk.length;
    });
    request.once("end", () => resolve(size > maxBodyBytes ? undefined : (room ?? Buffer.concat(chunks))));
    request.once("error", reject);
    request.once("aborted", () => reject(new Error("the client went away")));
  });
}

const noBody = Buffer.alloc(0);
