import type { OperatorPrincipal } from "../accounts/operators.ts";
import type { ApiHandler, ApiRequest, ApiResponse } from "../api/handlers/handler.ts";
import { withErrorResponses } from "../api/handlers/middleware.ts";
import { routeTable } from "../api/route-table.ts";
import { StoreUnavailable } from "../errors.ts";
import type { AllHandlers, ManageHandler } from "./call.ts";
import { type OperationName, operations } from "./contract/operations/index.ts";
import { basePath, type ManageOperation } from "./contract/operations/operation.ts";
import { errorFormat, manageError } from "./errors.ts";
import { withSecurityHeaders } from "./security-headers.ts";
import { validBody, validParameters } from "./validate.ts";

/** Who sends a request. Rejects with a `ServiceError` for a request without a valid credential. */
export type Authenticate = (request: ApiRequest) => Promise<OperatorPrincipal>;

const routes = routeTable(operations);

/** Whether a path belongs to the management API. */
export function isManagePath(path: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

/**
 * The management API as one handler. For each request, in this order: finds the operation (404, 405), authenticates (401),
 * checks the role (403), validates parameters and body (422), and calls the operation's handler.
 */
export function manageRouter(handlers: AllHandlers, authenticate: Authenticate): ApiHandler {
  const handle = withErrorResponses(async (request) => {
    try {
      const { name, parameters } = route(request);
      const handler = handlers[name] as ManageHandler<OperationName>;
      return await callOperation(operations[name], handler, { ...request, parameters }, authenticate);
    } catch (error) {
      throw error instanceof StoreUnavailable ? storeUnavailable(error) : error;
    }
  }, errorFormat);
  return async (request) => withSecurityHeaders(await handle(request));
}

async function callOperation(
  operation: ManageOperation,
  handler: ManageHandler<OperationName>,
  request: ApiRequest,
  authenticate: Authenticate,
): Promise<ApiResponse> {
  const operator = operation.authenticated ? await authenticate(request) : nobody;
  if (operation.role === "operator" && operator.role !== "operator") throw manageError("forbidden");
  const { path, query } = validParameters(operation, request);
  const body = await validBody(operation, request);
  return handler({ request, operator, path, query, body });
}

function route({ method, path }: ApiRequest): NonNullable<ReturnType<typeof routes.find>> {
  const found = routes.find(method, path);
  if (found) return found;
  const allowed = routes.methodsOf(path);
  if (allowed.length === 0) throw manageError("not_found");
  throw manageError("method_not_allowed", undefined, { allow: allowed.join(", ") });
}

/** The caller of an operation that takes no credential. */
const nobody: OperatorPrincipal = { actor: "", name: "", role: "viewer" };

function storeUnavailable(cause: StoreUnavailable): Error {
  return Object.assign(manageError("store_unavailable", undefined, { "retry-after": "5" }), { cause });
}
