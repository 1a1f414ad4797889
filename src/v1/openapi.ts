import { type ApiHandler, jsonResponse } from "../http/handler.ts";
import { withErrorResponses } from "../http/middleware.ts";

/** `GET /v1/openapi.json` (specification section 4.3). The document is generated ahead of time and loaded when it is read. */
export function openapiHandler(): ApiHandler {
  return withErrorResponses(async () => {
    const { openapiDocument } = await import("./generated/openapi.ts");
    return jsonResponse(200, openapiDocument);
  });
}
