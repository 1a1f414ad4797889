import { isAscii, isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { unescape } from "node:querystring";
import type { Duplex } from "node:stream";
import type { Refused } from "./read-body.ts";
import { type ApiEvent, type ApiResponse, jsonResponse } from "../handlers/middleware.ts";

/** For a body larger than any this API can need, without looking into it (specification section 7.2). */
export const tooLarge: ApiResponse = jsonResponse(413, { detail: "total file size exceeds the allowed limit" });

/** What is answered when there is no body to look into. */
export const refusals: Record<Refused["reason"], ApiResponse> = {
  "too large": tooLarge,
  "no memory": jsonResponse(
    503,
    { detail: "too many large requests at once; send it again in a few seconds" },
    { "retry-after": "5" },
  ),
  silence: jsonResponse(408, { detail: "the body stopped coming; send it again" }),
};

/** Bytes from which on a body is not made a text. */
export const largeBody = 64 * 1024;

/** A request as an event of payload format 2.0, as API Gateway makes it; a large body is in it as it came. */
export function eventOf({ method = "GET", url = "/", headers }: IncomingMessage, body: Buffer): ApiEvent {
  // A URL instead of a path is as good (RFC 9112, 3.2.2); clients with a proxy configured send one.
  const path = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const event: ApiEvent = {
    rawPath: unescape(path.split("?", 1)[0] || "/"), // /v1/agent%73 is the same path (RFC 3986, 2.3)
    headers: headers as ApiEvent["headers"],
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), http: { method } },
  };
  if (body.length >= largeBody) event.rawBody = body;
  else if (body.length > 0) {
    // ASCII is read without decoding; a body that is no text at all goes as base64, as API Gateway does it.
    const encoding = isAscii(body) ? "latin1" : isUtf8(body) ? "utf8" : "base64";
    event.isBase64Encoded = encoding === "base64";
    event.body = body.toString(encoding);
  }
  return event;
}

/** Writes a handler's answer. Resolves when it has left this process, or when nobody is there to read it. */
export function respond(response: ServerResponse, answer: ApiResponse): Promise<void> {
  const { statusCode = 200, headers, body = "" } = answer;
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.writeHead(statusCode, { ...headers, "content-length": Buffer.byteLength(body) } as OutgoingHttpHeaders);
    response.end(body, resolve);
  });
}

/**
 * Has a server answer in JSON what node:http would refuse with an empty body, or by hanging up: what is not HTTP or comes
 * too slowly, an unknown `Expect`, CONNECT. HTTP/1.1 without a Host is `hostMissing`'s.
 */
export function refuseInJson(server: Server): void {
  server.on("clientError", ({ code }: NodeJS.ErrnoException, socket: Duplex) => {
    const status = code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
    afterAnswers(socket, () => refuseConnection(socket, status));
  });
  server.on("connect", (_: IncomingMessage, socket: Duplex) => refuseConnection(socket, 404));
  server.on("checkExpectation", (_: IncomingMessage, response: ServerResponse) => {
    response.setHeader("connection", "close"); // its body is not read
    void respond(response, plainly(417));
  });
}

/** The 400 that HTTP/1.1 without a Host has to get (RFC 9112, 3.2); for servers with `requireHostHeader: false`. */
export function hostMissing({ headers, httpVersion }: IncomingMessage): ApiResponse | undefined {
  return headers.host === undefined && httpVersion === "1.1" ? plainly(400) : undefined;
}

/** Calls `then` when the requests that came whole over a connection, before what could not be read, have their answers. */
function afterAnswers(socket: Duplex & { _httpMessage?: ServerResponse | null }, then: () => void): void {
  // Node's own name, as of 24, for the answer whose turn it is. Where it is gone, nothing is waited for.
  const next = socket._httpMessage;
  if (next?.req.complete) next.once("finish", () => afterAnswers(socket, then));
  else then();
}

const plainly = (status: number): ApiResponse => jsonResponse(status, { detail: STATUS_CODES[status] });

function refuseConnection(socket: Duplex, status: number): void {
  if (!socket.writable) return void socket.destroy();
  const { body = "" } = plainly(status);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`, () => socket.destroy());
}
