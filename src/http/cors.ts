import type { ApiHandler, ApiRequest, ApiResponse } from "./handler.ts";

/**
 * Request headers that browsers send only with permission: those of the extension API, and those that libraries add to each
 * request, such as `Cache-Control` of replacements of EventSource (EventSource/eventsource#75) and `traceparent` of OpenTelemetry.
 */
const allowedHeaders =
  "Authorization, X-API-Key, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, Last-Event-ID, Cache-Control, X-Requested-With, traceparent, tracestate";

/** Response headers that programs in a browser may read, besides those that they always may. */
const exposedHeaders =
  "ETag, Retry-After, X-Request-Id, Idempotent-Replayed, Content-Range, Accept-Ranges, Content-Disposition, WWW-Authenticate, Location";

/** Seconds that a browser keeps a permission. Chromium keeps none for longer. */
const maxAge = 7_200;

/**
 * Lets pages of these origins use an API (CORS). Credentials are in headers that a page has to set, never in cookies. A preflight
 * takes no credential and reads nothing.
 */
export function withCors(handler: ApiHandler, origins: readonly string[]): ApiHandler {
  return async (request) => allowOrigins(request, await handler(request), origins);
}

export function allowOrigins(request: ApiRequest, response: ApiResponse, origins: readonly string[]): ApiResponse {
  if (origins.length === 0) return response;
  const origin = allowedOrigin(request, origins);
  const preflight = request.method === "OPTIONS" && "access-control-request-method" in request.headers;
  const vary = [response.headers["vary"], "Origin"].filter(Boolean).join(", ");
  if (origin === undefined) return { ...response, headers: { ...response.headers, vary } };
  const permission = preflight
    ? {
        "access-control-allow-methods": response.headers["allow"] ?? "GET, HEAD, OPTIONS",
        "access-control-allow-headers": allowedHeaders,
        "access-control-max-age": String(maxAge),
      }
    : { "access-control-expose-headers": exposedHeaders };
  return {
    ...response,
    headers: { ...response.headers, vary, "access-control-allow-origin": origin, ...permission },
  };
}

function allowedOrigin({ headers }: ApiRequest, origins: readonly string[]): string | undefined {
  return origins.find((each) => each === headers["origin"]);
}
