import { authenticateHash, type AuthenticationDeps, keyHashOf } from "../accounts/authenticate.ts";
import { invalidKey, ServiceError } from "../errors.ts";
import type { Runs } from "../runs/ports.ts";
import { readRun } from "../runs/read/read-run.ts";
import type { StatusResponse } from "./contract.ts";
import { validateRunId } from "./public-requests.ts";
import { credentialCheck } from "../http/credential-check.ts";
import { InvalidRequest } from "../http/errors.ts";
import { type ApiHandler, jsonResponse } from "../http/handler.ts";
import { apiKeyOf, withErrorResponses } from "../http/middleware.ts";
import { streamedRun } from "./stream-run.ts";

/** `GET /v1/agents/{agent_id}` (specification section 4.2). */
export function getHandler(deps: AuthenticationDeps & { runs: Runs }): ApiHandler {
  return withErrorResponses(async ({ headers, parameters }) => {
    const hash = keyHashOf(apiKeyOf(headers));
    const principal = authenticateHash(deps, hash).catch(withoutReason);
    const checked = validateRunId(parameters["agent_id"] ?? "");
    if ("issues" in checked) {
      await principal; // 401 comes before 422
      throw new InvalidRequest(checked.issues);
    }
    const found = await readRun(deps, principal, checked.value);
    if ("pieces" in found) {
      const { accounts } = deps;
      const credential = credentialCheck(await principal, () => authenticateHash({ accounts }, hash));
      const { body, ...response } = streamedRun(found);
      return { ...response, body: credential.guardStream(body, { asWhole: true }) };
    }
    const { run, transcript } = found;
    return jsonResponse(200, { agent_id: run.id, loop_status: run.status, transcript } satisfies StatusResponse);
  });
}

/** The contract knows a deleted agent only for creates: here, its keys are invalid. */
function withoutReason(error: unknown): never {
  const isDeleted = error instanceof ServiceError && error.code === "agent_deleted";
  throw isDeleted ? new ServiceError("key_invalid", invalidKey) : error;
}
