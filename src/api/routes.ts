import { operations } from "./contract.ts";
import type { ApiHandler } from "./handlers/handler.ts";

export type OperationName = keyof typeof operations;

const routes = (Object.keys(operations) as OperationName[]).map((name) => {
  const { method, path } = operations[name];
  // A parameter stands for one segment of a path.
  return { name, method, pattern: new RegExp(`^${path.replace(/\{([^}]+)\}/g, "(?<$1>[^/]+)")}$`) };
});

/** The handlers of a server. `notFound` receives requests of operations that have none. */
export type ApiHandlers = Partial<Record<OperationName, ApiHandler>> & { notFound: ApiHandler };

/** One handler that passes each request to its operation's handler. */
export function router(handlers: ApiHandlers): ApiHandler {
  return (request) => {
    for (const { name, method, pattern } of routes) {
      const match = method === request.method && pattern.exec(request.path);
      const handler = handlers[name];
      if (match && handler) return handler({ ...request, parameters: match.groups ?? {} });
    }
    return handlers.notFound(request);
  };
}

/** The methods that a path accepts; none if it is not an operation's. */
export function methodsOf(path: string): string[] {
  return [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
