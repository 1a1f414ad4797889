import { isAscii, isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { ApiEvent, ApiHandler, ApiResponse } from "./chain.ts";

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
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    answer(handlers, request, response).catch(() => response.destroy()); // the client went away: nobody to tell
  });
  // What is not HTTP never becomes a request, but its sender reads JSON like everybody else.
  server.on("clientError", ({ code }: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return socket.destroy();
    const status = code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
    const reason = STATUS_CODES[status] ?? "";
    const body = JSON.stringify({ detail: reason });
    const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    return socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`);
  });
  return server;
}

async function answer(handlers: ApiHandlers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { statusCode = 200, headers, body = "" } = await dispatch(handlers, request, await bodyOf(request));
  response.writeHead(statusCode, { ...headers, "content-length": Buffer.byteLength(body) } as OutgoingHttpHeaders);
  response.end(body);
}

function dispatch(
  handlers: ApiHandlers,
  { method = "GET", url = "/", headers }: IncomingMessage,
  body: Buffer | undefined,
): Promise<ApiResponse> | ApiResponse {
  if (!body) return tooLarge;
  const rawPath = url.split("?", 1)[0] ?? "/";
  // ASCII is read without decoding; a body that is no text at all goes as base64, as API Gateway does it.
  const encoding = isAscii(body) ? "latin1" : isUtf8(body) ? "utf8" : "base64";
  const event: ApiEvent = {
    rawPath,
    headers: headers as ApiEvent["headers"],
    isBase64Encoded: encoding === "base64",
    requestContext: { requestId: randomUUID(), http: { method } },
  };
  if (body.length > 0) event.body = body.toString(encoding);
  if (rawPath === "/v1/openapi.json") return (method === "GET" ? handlers.openapi : handlers.notFound)(event);
  if (rawPath === "/v1/agents" && method === "POST") return handlers.create(event);
  const runId = runPath.exec(rawPath)?.[1];
  if (runId === undefined || method !== "GET") return handlers.notFound(event);
  event.pathParameters = { agent_id: decoded(runId) };
  return handlers.get(event);
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

const tooLarge: ApiResponse = {
  statusCode: 413,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ detail: "total file size exceeds the allowed limit" }),
};

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
