import { log } from "../../log.ts";
import { createRun } from "../../runs/create-run.ts";
import type { CreateRunDeps } from "../../runs/create-run.ts";
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
export function createHandler(deps: CreateRunDeps): ApiHandler {
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
