import { jsonResponse } from "../../http/handler.ts";
import type { ExtHandlers } from "../call.ts";
import type { ExtDeps } from "../deps.ts";
import { agentHandlers } from "./agent.ts";
import { runHandlers } from "./runs.ts";
import { uploadHandlers } from "./uploads.ts";

/** The handlers of the extension API. */
export function extHandlers(deps: ExtDeps): ExtHandlers {
  return {
    get_openapi: async () => jsonResponse(200, (await import("../generated/openapi.ts")).openapiDocument),
    ...agentHandlers(deps),
    ...runHandlers(deps),
    ...uploadHandlers(deps),
  };
}
