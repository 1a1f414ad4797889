import type { CallToolResult } from "@modelcontextprotocol/server";
import { redactWholeTokens } from "../accounts/token.ts";
import { type ErrorFormat, HttpError } from "../http/errors.ts";
import { type ErrorCode, type ErrorEntry, errorsOf } from "../error-codes.ts";
import { ServiceError, StoreUnavailable } from "../errors.ts";
import { log } from "../log.ts";

const errors: Partial<Record<ErrorCode, ErrorEntry>> = errorsOf("mcp");

/** JSON-RPC codes: the body could not be parsed; it is no request; anything else of this server. */
const [parseError, invalidRequest, serverError] = [-32_700, -32_600, -32_000];
const rpcCodes: Record<string, number> = { parse_error: parseError, invalid_request: invalidRequest };

/** How the endpoint reports errors outside of JSON-RPC, such as a missing key: as a JSON-RPC error without an id. */
export const errorFormat: ErrorFormat = {
  statusOf: (code) => errors[code]?.status ?? 400,
  body: (detail, code) => ({
    jsonrpc: "2.0",
    id: null,
    error: { code: rpcCodes[code] ?? serverError, message: detail, data: { code } },
  }),
};

/** The body is not one JSON-RPC request. `code`: `parse_error` or `invalid_request`. */
export function badRequest(code: "parse_error" | "invalid_request", message: string): HttpError {
  return new HttpError(400, message, { code });
}

export const unavailableText = "The service's store is temporarily unavailable; repeat the call in a few seconds.";

/** For files that do not fit into a request. */
export const uploadsAdvice =
  "Upload larger files with POST /ext/v1/uploads of this service, and pass their ids in uploads.";

/** The result of a tool that failed. The model reads it. Unexpected errors are logged, and show it no detail. */
export function toolError(error: unknown, requestId: string): CallToolResult {
  if (error instanceof ServiceError) {
    return errorResult(error.code === "files_too_large" ? `${error.message}. ${uploadsAdvice}` : error.message);
  }
  log("error", "MCP tool failed", { requestId, error });
  return errorResult(error instanceof StoreUnavailable ? unavailableText : "The service failed unexpectedly.");
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: "text", text: redactWholeTokens(text) }], isError: true };
}
