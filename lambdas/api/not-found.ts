import { type ApiHandler, json, operation } from "./chain.ts";
import { operations } from "./contract.ts";

const routes = Object.values(operations).map(({ method, path }) => ({
  method,
  // A parameter stands for one segment of a path.
  pattern: new RegExp(`^${path.replace(/\{[^}]+\}/, "[^/]+")}$`),
}));

/** Whatever no route answers: 405 for a known path with another method, 404 for everything else. */
export function notFoundHandler(): ApiHandler {
  return operation(async ({ rawPath }) => {
    const known = routes.filter(({ pattern }) => pattern.test(rawPath));
    if (known.length === 0) return json(404, { detail: "Not Found" });
    return json(
      405,
      { detail: "Method Not Allowed" },
      { allow: [...new Set(known.map(({ method }) => method))].join(", ") },
    );
  });
}
