import { type ApiHandler, jsonResponse } from "./handler.ts";
import { withErrorResponses } from "./middleware.ts";

/** Where load balancers and process managers ask whether the service is ready. */
export const readinessPath = "/healthz";

/**
 * Answers without a key: 200 when the service takes requests, 503 with the reason when it does not. `problem` resolves with the
 * reason, a sentence that names no data.
 */
export function readinessHandler(problem: () => Promise<string | undefined>): ApiHandler {
  return withErrorResponses(async ({ method }) => {
    if (method !== "GET" && method !== "HEAD") {
      return jsonResponse(405, { detail: "Method Not Allowed" }, { allow: "GET, HEAD" });
    }
    const reason = await problem();
    const [status, body] = reason === undefined ? [200, { status: "ready" }] : [503, { status: "unavailable", reason }];
    return jsonResponse(status, body, { "cache-control": "no-store" });
  });
}
