import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ApiEvent, ApiHandler, ApiResponse } from "./chain.ts";
import { eventOf, hostMissing, refuseInJson, respond, tooLarge } from "./http-event.ts";

/** The four handlers an HTTP home serves. `notFound` answers whatever the others do not. */
export interface ApiHandlers {
  create: ApiHandler;
  get: ApiHandler;
  openapi: ApiHandler;
  notFound: ApiHandler;
}

// The largest body the contract can need is 13,981,016 base64 characters of files and an input text of open length.
const maxBodyBytes = 64 * 1024 * 1024;
const runPath = /^\/v1\/agents\/([^/]+)$/;

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
  const { rawPath } = event;
  const { method } = event.requestContext.http;
  if (rawPath === "/v1/openapi.json") return (method === "GET" ? handlers.openapi : handlers.notFound)(event);
  if (rawPath === "/v1/agents" && method === "POST") {
    return body ? handlers.create(event) : tooLargeFrom(handlers.create, event);
  }
  const runId = runPath.exec(rawPath)?.[1];
  if (runId === undefined || method !== "GET") return handlers.notFound(event);
  event.pathParameters = { agent_id: runId };
  return handlers.get(event);
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
