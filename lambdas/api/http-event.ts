import { isAscii, isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ApiEvent, type ApiResponse, json } from "./chain.ts";

/** For a body larger than any this API can need, without looking into it (specification section 7.2). */
export const tooLarge: ApiResponse = json(413, { detail: "total file size exceeds the allowed limit" });

/** A request as an event of payload format 2.0, as API Gateway makes it. The raw body may be let go afterwards. */
export function eventOf({ method = "GET", url = "/", headers }: IncomingMessage, body: Buffer): ApiEvent {
  // ASCII is read without decoding; a body that is no text at all goes as base64, as API Gateway does it.
  const encoding = isAscii(body) ? "latin1" : isUtf8(body) ? "utf8" : "base64";
  const event: ApiEvent = {
    rawPath: url.split("?", 1)[0] ?? "/",
    headers: headers as ApiEvent["headers"],
    isBase64Encoded: encoding === "base64",
    requestContext: { requestId: randomUUID(), http: { method } },
  };
  if (body.length > 0) event.body = body.toString(encoding);
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

/** For `clientError`: what is not HTTP, or comes too slowly, never becomes a request; its sender reads JSON all the same. */
export function refuseConnection({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const status = code === "HPE_HEADER_OVERFLOW" ? 431 : code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  const reason = STATUS_CODES[status] ?? "";
  const body = JSON.stringify({ detail: reason });
  const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`, () => socket.destroy());
}
