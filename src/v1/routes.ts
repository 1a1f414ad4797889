import { operations } from "./contract.ts";
import type { ApiHandler } from "../http/handler.ts";
import { routeTable } from "../http/route-table.ts";

export type OperationName = keyof typeof operations;

const routes = routeTable(operations);

/** The handlers of a server. `notFound` receives requests of operations that have none. */
export type ApiHandlers = Partial<Record<OperationName, ApiHandler>> & { notFound: ApiHandler };

/** One handler that passes each request to its operation's handler. */
export function router(handlers: ApiHandlers): ApiHandler {
  return (request) => {
    const found = routes.find(request.method, request.path);
    const handler = found && handlers[found.name];
    return handler ? handler({ ...request, parameters: found.parameters }) : handlers.notFound(request);
  };
}

/** The methods that a path of v1 accepts; none if it is not an operation's. */
export const { methodsOf } = routes;
