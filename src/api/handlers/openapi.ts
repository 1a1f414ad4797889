import { openapiDocument } from "../generated/openapi.ts";
import { type ApiHandler, jsonResponse } from "./handler.ts";
import { operation } from "./middleware.ts";

/** `GET /v1/openapi.json` (specification section 4.3). The document is generated ahead of time. */
export function openapiHandler(): ApiHandler {
  return operation(async () => jsonResponse(200, openapiDocument));
}
