import { responseLimit } from "../http/rest/lambda-limits.ts";
import type { ApiMiddleware } from "../http/server/lambda.ts";
import { manageErrors } from "./manage-errors.ts";

/** Keeps responses within Lambda's limit. A longer one becomes an error that names the CLI's command. */
export function manageResponseLimit(stack: string): ApiMiddleware {
  return responseLimit(manageErrors, (path) => remedy(path, stack));
}

/** The command contains nothing that a model or a client has chosen, because people run it. */
function remedy(path: string, stack: string): string {
  const [, run] = /\/runs\/([0-9a-f-]{36})\/files\//i.exec(path) ?? [];
  if (run === undefined) return "Ask for less at once, with the parameters limit and max_text.";
  return `Download the file with: npm run -s admin -- --stack ${stack} run file ${run} NAME`;
}
