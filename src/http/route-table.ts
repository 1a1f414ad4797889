/** The routes of an API. */
export interface RouteTable<Name extends string> {
  /** The operation of a method and path, with the parameters in the path. */
  find: (method: string, path: string) => { name: Name; parameters: Record<string, string> } | undefined;
  /** The methods that a path accepts; none if it is not an operation's. */
  methodsOf: (path: string) => string[];
}

/**
 * Makes the routes of operations. A path without parameters is preferred: `/runs/counts` to `/runs/{run_id}`. Paths are
 * percent-decoded, so a parameter at the end that can contain slashes takes the rest of the path.
 */
export function routeTable<Name extends string>(
  operations: Record<Name, { method: string; path: string; endsWithPath?: true }>,
): RouteTable<Name> {
  const routes = (Object.keys(operations) as Name[]).map((name) => {
    const { method, path, endsWithPath } = operations[name];
    // Any other parameter matches one segment of a path.
    const pattern = path.replace(/\{([^}]+)\}(\/|$)/g, (_, parameter: string, slash: string) =>
      endsWithPath && slash === "" ? `(?<${parameter}>.+)` : `(?<${parameter}>[^/]+)${slash}`,
    );
    return { name, method, path, pattern: new RegExp(`^${pattern}$`, "s") };
  });
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const routesOf = (path: string) => byPath.get(path) ?? routes.filter(({ pattern }) => pattern.test(path));
  return {
    find(method, path) {
      const candidates = byPath.get(path) ?? routes;
      for (const route of candidates) {
        const match = route.method === method && route.pattern.exec(path);
        if (match) return { name: route.name, parameters: { ...match.groups } };
      }
      return undefined;
    },
    methodsOf: (path) => [...new Set(routesOf(path).map(({ method }) => method))],
  };
}
