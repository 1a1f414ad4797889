import { operations } from "./contract.ts";
import { llmsTxt } from "./generated/llms-txt.ts";
import { methodsOf } from "./routes.ts";
import { type ApiHandler, jsonResponse } from "../http/handler.ts";
import { withErrorResponses } from "../http/middleware.ts";

/**
 * The response to requests without a route: `GET /` names the API description, `GET /llms.txt` describes the service to
 * language models (https://llmstxt.org), 405 for a known path with another method, otherwise 404.
 */
export function notFoundHandler(): ApiHandler {
  return withErrorResponses(async ({ method, path }) => {
    if (method === "GET" && path === "/") return jsonResponse(200, { openapi: operations.openapi.path });
    if (method === "GET" && path === "/llms.txt") {
      return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: llmsTxt };
    }
    const allowed = methodsOf(path);
    if (allowed.length === 0) return jsonResponse(404, { detail: "Not Found" });
    return jsonResponse(405, { detail: "Method Not Allowed" }, { allow: allowed.join(", ") });
  });
}
