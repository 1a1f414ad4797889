/** The routes of an API. */
export interface RouteTable<Name extends string> {
  /** The operations of a method and path, with the parameters in the path. The first is the one to call. */
  find: (method: string, path: string) => { name: Name; parameters: Record<string, string> }[];
  /** The methods that a path accepts; none if it is not an operation's. */
  methodsOf: (path: string) => string[];
}

/** Makes the routes of operations. A path with a parameter also stands for the paths of operations before it. */
export function routeTable<Name extends string>(
  operations: Record<Name, { method: string; path: string }>,
): RouteTable<Name> {
  const routes = (Object.keys(operations) as Name[]).map((name) => {
    const { method, path } = operations[name];
    // A parameter stands for one segment of a path.
    return { name, method, pattern: new RegExp(`^${path.replace(/\{([^}]+)\}/g, "(?<$1>[^/]+)")}$`) };
  });
  return {
    find: (method, path) =>
      routes.flatMap((route) => {
        const match = route.method === method ? route.pattern.exec(path) : null;
        return match ? [{ name: route.name, parameters: { ...match.groups } }] : [];
      }),
    methodsOf: (path) => [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))],
  };
}
