import { type ApiHandler, jsonResponse, operation } from "./middleware.ts";
import { openapiDocument } from "../generated/openapi.ts";

/** `GET /v1/openapi.json` (specification section 4.3): the document as text, made ahead of time. */
export function openapiHandler(): ApiHandler {
  return operation(async () => jsonResponse(200, openapiDocument));
}
