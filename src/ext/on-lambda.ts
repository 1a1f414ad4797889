import { responseLimit } from "../http/rest/lambda-limits.ts";
import { extErrors } from "./ext-errors.ts";

/** Keeps responses of the extension API within the limits of a Lambda function. */
export const extResponseLimit = responseLimit(extErrors, (path) =>
  path.endsWith("/events")
    ? "Ask for less at once, with the parameters limit and max_text."
    : "Read the output as an event, with GET /ext/v1/runs/{run_id}/events and the parameter max_text.",
);
