import { type ApiHandler, jsonResponse, operation } from "./middleware.ts";
import { methodsOf } from "../routes.ts";

/** Whatever no route answers: 405 for a known path with another method, 404 for everything else. */
export function notFoundHandler(): ApiHandler {
  return operation(async ({ rawPath }) => {
    const allowed = methodsOf(rawPath);
    if (allowed.length === 0) return jsonResponse(404, { detail: "Not Found" });
    return jsonResponse(405, { detail: "Method Not Allowed" }, { allow: allowed.join(", ") });
  });
}
