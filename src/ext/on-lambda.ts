import { compress } from "../http/compression.ts";
import { withCors } from "../http/cors.ts";
import type { ApiHandler } from "../http/handler.ts";
import { limitOnLambda } from "../http/rest/lambda-limits.ts";
import { extErrors } from "./errors.ts";

/** The extension API within the limits of a Lambda function. CORS is the last step: pages may read the errors of the others. */
export function extOnLambda(api: ApiHandler, corsOrigins: readonly string[]): ApiHandler {
  return withCors(limitOnLambda(compress(api), extErrors, remedyOf), corsOrigins);
}

function remedyOf(path: string): string {
  return path.endsWith("/events")
    ? "Ask for less at once, with the parameters limit and max_text."
    : "Read the output as an event, with GET /ext/v1/runs/{run_id}/events and the parameter max_text.";
}
