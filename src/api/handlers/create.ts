import { log } from "../../log.ts";
import { createRun, type Deps } from "../../runs/use-cases.ts";
import {
  type ApiHandler,
  type Authenticated,
  jsonResponse,
  operation,
  withCaller,
  type WithCreateBody,
  withCreateBody,
} from "./middleware.ts";
import type { CreateResponse } from "../contract.ts";

/** `POST /v1/agents` (specification section 4.1). */
export function createHandler(deps: Deps): ApiHandler {
  return operation<Authenticated & WithCreateBody>(
    async ({ caller, input, requestContext: { requestId } }) => {
      const runId = await createRun(deps, await caller, input);
      log("info", "run created", { requestId, runId });
      return jsonResponse(201, { agent_id: runId } satisfies CreateResponse);
    },
    withCaller(deps),
    withCreateBody,
  );
}
