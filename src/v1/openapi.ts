import { openapiDocument } from "./generated/openapi.ts";
import { type ApiHandler, jsonResponse } from "../http/handler.ts";
import { withErrorResponses } from "../http/middleware.ts";

/** `GET /v1/openapi.json` (specification section 4.3). The document is generated ahead of time. */
export function openapiHandler(): ApiHandler {
  return withErrorResponses(async () => jsonResponse(200, openapiDocument));
}
