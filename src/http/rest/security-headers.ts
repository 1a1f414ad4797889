import type { ApiResponse } from "../handler.ts";

/** Responses are for the caller only, and no browser may guess their type. */
export function withSecurityHeaders(response: ApiResponse): ApiResponse {
  const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  return { ...response, headers: { ...headers, ...response.headers } };
}
