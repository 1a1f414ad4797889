import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
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
  return createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    answer(handlers, request, response).catch(() => response.destroy()); // the client went away: nobody to tell
  });
}

async function answer(handlers: ApiHandlers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  const { statusCode = 200, headers, body: text = "" } = body ? await dispatch(handlers, request, body) : tooLarge;
  response.writeHead(statusCode, { ...headers, "content-length": Buffer.byteLength(text) } as OutgoingHttpHeaders);
  response.end(text);
}

function dispatch(handlers: ApiHandlers, request: IncomingMessage, body: Buffer): Promise<ApiResponse> {
  const { method = "GET", url = "/", headers } = request;
  const rawPath = url.split("?", 1)[0] ?? "/";
  const text = isUtf8(body);
  const event: ApiEvent = {
    rawPath,
    headers: headers as ApiEvent["headers"],
    isBase64Encoded: !text,
    requestContext: { requestId: randomUUID(), http: { method } },
  };
  if (body.length > 0) event.body = body.toString(text ? "utf8" : "base64");
  if (rawPath === "/v1/openapi.json") return (method === "GET" ? handlers.openapi : handlers.notFound)(event);
  if (rawPath === "/v1/agents" && method === "POST") return handlers.create(event);
  const runId = runPath.exec(rawPath)?.[1];
  if (runId === undefined || method !== "GET") return handlers.notFound(event);
  event.pathParameters = { agent_id: decoded(runId) };
  return handlers.get(event);
}

/** The whole body; undefined when it is larger than any this API can need. Read to its end, so that clients listen. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const length = Number(request.headers["content-length"] ?? 0);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) chunks.length = 0;
    else if (length <= maxBodyBytes) chunks.push(chunk);
  }
  return size > maxBodyBytes ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

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
