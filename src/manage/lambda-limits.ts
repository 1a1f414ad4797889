import { toResponse } from "../api/handlers/errors.ts";
import type { ApiHandler } from "../api/handlers/handler.ts";
import { limitResponseSize } from "../api/handlers/response-size.ts";
import { errorFormat, manageError } from "./errors.ts";

/**
 * Bytes of the longest body that certainly fits into Lambda's event of 6 MiB. API Gateway escapes up to every character of
 * it (`lib/front-door/limits.ts`), and rejects longer ones itself.
 */
export const bodyBytesOnLambda = 3 * 1024 * 1024;

/** Keeps responses within Lambda's limit. A longer one becomes an error that names the CLI's command. */
export function limitOnLambda(handler: ApiHandler, stack: string): ApiHandler {
  return limitResponseSize(handler, ({ id, path }, cause) => {
    const error = manageError(
      "response_too_large",
      `The response is larger than AWS Lambda allows (6 MB). ${remedy(path, stack)}`,
    );
    return toResponse(Object.assign(error, { cause }), id, errorFormat);
  });
}

/** The command contains nothing that a model or a client has chosen, because people run it. */
function remedy(path: string, stack: string): string {
  const [, run] = /\/runs\/([0-9a-f-]{36})\/files\//i.exec(path) ?? [];
  if (run === undefined) return "Ask for less at once, with the parameters limit and max_text.";
  return `Download the file with: npm run -s admin -- --stack ${stack} run file ${run} NAME`;
}
