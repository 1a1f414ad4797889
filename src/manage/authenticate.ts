import { authenticateOperator } from "../accounts/operators.ts";
import type { Accounts } from "../accounts/types.ts";
import { bearerOf } from "../api/handlers/middleware.ts";
import type { Authenticate } from "./router.ts";

/** Authenticates operators by their tokens. */
export function tokenAuthentication(accounts: Accounts): Authenticate {
  return ({ headers }) => authenticateOperator(accounts, bearerOf(headers));
}
