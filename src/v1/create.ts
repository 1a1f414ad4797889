import { log } from "../log.ts";
import { authenticate, type AuthenticationDeps, forAgent } from "../accounts/authenticate.ts";
import { createRun, type CreateRunDeps, type NewRun } from "../runs/begin/create-run.ts";
import type { CreateBody, CreateResponse } from "./contract.ts";
import { base64Uploads } from "../http/validation/base64-files.ts";
import { parseCreateBody } from "./create-body.ts";
import { credentialCheck } from "../http/credential-check.ts";
import { validOrThrow } from "../http/errors.ts";
import { type ApiHandler, jsonResponse } from "../http/handler.ts";
import { apiKeyOf, withErrorResponses } from "../http/middleware.ts";

/** `POST /v1/agents` (specification section 4.1). Authenticates before it reads the body. */
export function createHandler(deps: CreateRunDeps & AuthenticationDeps): ApiHandler {
  return withErrorResponses(async (request) => {
    const { id: requestId, headers } = request;
    const principal = await authenticate(deps, apiKeyOf(headers));
    const { accounts } = deps;
    const credential = credentialCheck(principal, () => authenticate({ accounts }, apiKeyOf(headers)));
    const { parseBody } = credential.guardBody(request);
    const body = validOrThrow(await parseBody((raw) => parseCreateBody(raw, headers["content-type"])));
    const { id: runId } = await createRun(deps, forAgent(principal, body.template_id), newRunOf(body));
    log("info", "run created", { requestId, runId });
    return jsonResponse(201, { agent_id: runId } satisfies CreateResponse);
  });
}

function newRunOf({ name, input_text, files = [] }: CreateBody): NewRun {
  return { name, text: input_text ?? undefined, files: base64Uploads(files) };
}
