import { randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import { errorsOf } from "../../error-codes.ts";
import { type ApiResponse, jsonResponse } from "../handler.ts";
import { addRequestId } from "../middleware.ts";
import { pathOf } from "./request-path.ts";

/** The codes of Node's parser, and why it rejects a request. Others: the request is malformed. */
const parserErrors: Record<string, EarlyCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: "body_timeout",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "files_too_large",
  HPE_HEADER_OVERFLOW: "headers_too_large",
};

const errors = errorsOf("ext");
type EarlyCode = keyof typeof errors;

/** The APIs whose errors have a code. v1 answers requests that it does not receive as before they had one. */
const withCodes = /^\/(ext\/v1|manage\/v1|mcp)(\/|$)/;

/** The answer to a request that the parser rejects. `url`: undefined if it is not known. */
export function parserAnswer(url: string | undefined, error: string): ApiResponse {
  return earlyAnswer(url, parserErrors[error] ?? "malformed_request");
}

/** An answer as text, for a connection whose request could not be parsed. It ends the connection. */
export function rawAnswer({ status, headers, body }: ApiResponse): string {
  const text = String(body);
  const all = { ...headers, "content-length": Buffer.byteLength(text), connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

/**
 * The answer to a request that no server should act on, or that another server could read in another way. Node accepts
 * both of the latter:
 * - two `Host` headers (RFC 9112, 3.2),
 * - a transfer coding besides `chunked` (6.1), such as a body that is compressed for the transfer.
 *
 * Undefined: the request can be handled.
 */
export function refusal({ url, headers, rawHeaders, httpVersion }: IncomingMessage): ApiResponse | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") hosts++;
  if (hosts > 1) return earlyAnswer(url, "malformed_request", `The request has ${hosts} Host headers; send one`);
  if (hosts === 0 && httpVersion === "1.1") {
    return bareInV1(url, "malformed_request", "The request has no Host header; send one");
  }
  const { expect, "transfer-encoding": codings = "chunked" } = headers; // all of them: Node joins these headers
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") return bareInV1(url, "expectation_failed");
  if (codings.trim().toLowerCase() === "chunked") return undefined;
  const unsupported = "transfer_coding_unsupported";
  return earlyAnswer(url, unsupported, errors[unsupported].detail);
}

/** As `earlyAnswer`. v1 has no body, as Node.js answers by itself. */
function bareInV1(url: string | undefined, code: EarlyCode, detail = errors[code].detail): ApiResponse {
  const response = earlyAnswer(url, code, detail);
  return hasCodes(url) ? response : { ...response, body: "" };
}

/** `detail`: for APIs without codes, default is the name of the status. */
function earlyAnswer(url: string | undefined, code: EarlyCode, detail?: string): ApiResponse {
  const { status, detail: ofTable } = errors[code];
  if (hasCodes(url)) return answer(status, { detail: detail ?? ofTable, code });
  return answer(status, { detail: detail ?? STATUS_CODES[status] });
}

function hasCodes(url: string | undefined): boolean {
  return url !== undefined && withCodes.test(pathOf(url));
}

function answer(status: number, body: object): ApiResponse {
  return addRequestId(jsonResponse(status, body), randomUUID());
}

/** The URL of a request whose beginning was received. Undefined: it is no request, or its beginning is in an earlier packet. */
export function urlIn(packet: Buffer | undefined): string | undefined {
  return packet && /^[A-Z]+ (\S+)/.exec(packet.toString("latin1", 0, 2_000))?.[1];
}
