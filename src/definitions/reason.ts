import { redactTokens } from "../accounts/token.ts";
import { ServiceError, StoreUnavailable } from "../errors.ts";

/** CloudFormation accepts 4 KB for the whole response. */
const maxLength = 1_000;

/** What people read in the events of the stack. Of an error of the function itself, they find the text in its log only. */
export function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) return withoutUsers(redactTokens(error.message)).slice(0, maxLength);
  if (error instanceof StoreUnavailable) return "The table of the service could not be reached; deploy again.";
  return "The definition could not be applied because of an error in the service; see the log of the function Definitions.";
}

/** Without the user names and passwords of URLs, which a definition that is not accepted can have. */
function withoutUsers(text: string): string {
  return text.replaceAll(/(:\/\/)[^\s/"@]*@/g, "$1…@");
}
