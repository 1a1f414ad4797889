import { jsonResponse } from "../../api/handlers/handler.ts";
import type { ManageHandlers } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { openapiDocument } from "../generated/openapi.ts";
import { operatorHandlers } from "./operators.ts";

/** The handlers of the management API. */
export function manageHandlers(deps: ManageDeps): ManageHandlers {
  return {
    get_openapi: async () => jsonResponse(200, openapiDocument),
    ...operatorHandlers(deps),
  };
}
