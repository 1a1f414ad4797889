import { log } from "../../log.ts";
import { authenticate } from "../../accounts/authenticate.ts";
import { createRun, type CreateRunDeps } from "../../runs/create-run.ts";
import type { CreateResponse } from "../contract.ts";
import { parseCreateBody } from "../validation/create-body.ts";
import { validOrThrow } from "./errors.ts";
import { type ApiHandler, jsonResponse } from "./handler.ts";
import { apiKeyOf, withErrorResponses } from "./middleware.ts";

/** `POST /v1/agents` (specification section 4.1). Authenticates before it reads the body. */
export function createHandler(deps: CreateRunDeps): ApiHandler {
  return withErrorResponses(async ({ id: requestId, headers, parseBody }) => {
    const principal = await authenticate(deps, apiKeyOf(headers));
    const input = validOrThrow(await parseBody((body) => parseCreateBody(body, headers["content-type"])));
    const runId = await createRun(deps, principal, input);
    log("info", "run created", { requestId, runId });
    return jsonResponse(201, { agent_id: runId } satisfies CreateResponse);
  });
}
