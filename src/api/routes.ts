import { operations } from "./contract.ts";

export type OperationName = keyof typeof operations;

const routes = (Object.keys(operations) as OperationName[]).map((name) => {
  const { method, path } = operations[name];
  // A parameter stands for one segment of a path.
  return { name, method, pattern: new RegExp(`^${path.replace(/\{([^}]+)\}/g, "(?<$1>[^/]+)")}$`) };
});

/** The operation that a request is for, with the parameters in its path; undefined when there is none. */
export function routeOf(
  method: string,
  path: string,
): { name: OperationName; parameters: Record<string, string> } | undefined {
  for (const route of routes) {
    const match = route.method === method && route.pattern.exec(path);
    if (match) return { name: route.name, parameters: match.groups ?? {} };
  }
  return undefined;
}

/** The methods that a path is there for. None: it is no operation's. */
export function methodsOf(path: string): string[] {
  return [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
