import { type ErrorFormat, toResponse } from "./errors.ts";
import type { ApiHandler, ApiRequest, ApiResponse } from "./handler.ts";

/**
 * Wraps an operation's handler: errors become responses, and every response carries the request id. `format`: how the API
 * reports errors. Default: that of v1.
 */
export function withErrorResponses(handler: ApiHandler, format?: ErrorFormat): ApiHandler {
  return async (request) => {
    try {
      return addRequestId(await handler(request), request.id);
    } catch (error) {
      return addRequestId(toResponse(error, request.id, format), request.id);
    }
  };
}

export function addRequestId(response: ApiResponse, id: string): ApiResponse {
  return { ...response, headers: { ...response.headers, "x-request-id": id } };
}

/** The API key of a request: a Bearer credential, or else `X-API-Key` (specification section 5). */
export function apiKeyOf(headers: ApiRequest["headers"]): string | undefined {
  return bearerOf(headers) ?? (headers["x-api-key"]?.trim() || undefined);
}

/** The Bearer credential of a request. */
export function bearerOf(headers: ApiRequest["headers"]): string | undefined {
  const bearer = /^bearer[ \t]+(.+)$/i.exec(headers["authorization"]?.trim() ?? "")?.[1];
  return bearer?.trim() || undefined;
}
