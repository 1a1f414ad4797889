import { authenticate, type AuthenticationDeps, type Principal } from "../accounts/authenticate.ts";
import type { ApiHandler, ApiRequest } from "../http/handler.ts";
import { apiKeyOf } from "../http/middleware.ts";
import { acceptsStream } from "../http/rest/list-events.ts";
import { restRouter } from "../http/rest/router.ts";
import type { Runs } from "../runs/ports.ts";
import { authenticateRunToken, isRunToken } from "../runs/control/run-tokens.ts";
import type { ExtHandlers } from "./call.ts";
import { operations } from "./contract/operations/ext-operations.ts";
import { extErrors } from "./ext-errors.ts";
import { isEventsPath } from "./path.ts";
import * as bodies from "../../dist/generated/ext-bodies.js";
import * as parameters from "../../dist/generated/ext-parameters.js";

const nobody: Principal = { agentId: "", organizationId: "" };
const api = { operations, validators: { bodies, parameters }, errors: extErrors, nobody, authorize, readerOf };

/** The extension API as one handler. Callers are agents, by their API keys, and readers of one run, by its token. */
export function extRouter(handlers: ExtHandlers, deps: AuthenticationDeps & { runs: Runs }): ApiHandler {
  const { accounts, runs } = deps;
  const handle = restRouter(api, handlers, ({ headers }, isRepeated) => {
    const credential = apiKeyOf(headers);
    const used = isRepeated ? { accounts, runs } : deps;
    return isRunToken(credential) ? authenticateRunToken(used, credential) : authenticate(used, credential);
  });
  return (request) => handle(withTokenOfQuery(request));
}

/**
 * Takes the token of a run from `?token=` of an event stream: a browser's EventSource cannot send headers. Other credentials and
 * other requests stay without one, because addresses are kept in histories and logs.
 */
function withTokenOfQuery(request: ApiRequest): ApiRequest {
  const { method, path, headers } = request;
  const token = request.query.get("token") ?? undefined;
  const isStream = method === "GET" && isEventsPath(path) && acceptsStream(headers["accept"]);
  if (!isStream || !isRunToken(token) || apiKeyOf(headers) !== undefined) return request;
  const query = new URLSearchParams(request.query);
  query.delete("token");
  return { ...request, query, headers: { ...headers, authorization: `Bearer ${token}` } };
}

function authorize({ onlyRun }: Principal, operation: { acceptsRunToken?: true }): void {
  if (onlyRun !== undefined && !operation.acceptsRunToken) throw extErrors.error("token_reads_one_run");
}

/** An agent's keys can make any number of tokens, so the readers of all its runs are one. */
function readerOf({ onlyRun, agentId }: Principal): string | undefined {
  return onlyRun === undefined ? undefined : agentId;
}
