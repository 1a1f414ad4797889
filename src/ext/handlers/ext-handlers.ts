import { jsonResponse } from "../../http/handler.ts";
import { runDescriber } from "../../runs/read/describe-runs.ts";
import type { ExtHandlers } from "../call.ts";
import type { ExtDeps } from "../deps.ts";
import { keyAgentHandlers } from "./agent.ts";
import { eventHandlers } from "./events.ts";
import { ownRecordHandlers } from "./run-records.ts";
import { extRunHandlers } from "./runs.ts";
import { uploadHandlers } from "./uploads.ts";

/** The handlers of the extension API. */
export function extHandlers(deps: ExtDeps): ExtHandlers {
  const describer = runDescriber(deps);
  return {
    get_openapi: async () => jsonResponse(200, (await import("../generated/openapi.ts")).openapiDocument),
    ...keyAgentHandlers(deps),
    ...extRunHandlers(deps, describer),
    ...eventHandlers(deps, describer),
    ...ownRecordHandlers(deps, describer),
    ...uploadHandlers(deps),
  };
}
