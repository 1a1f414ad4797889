import { admitted } from "../accounts/authenticate.ts";
import { authenticateOperator } from "../accounts/operators.ts";
import type { RequestRate } from "../accounts/request-rate.ts";
import type { Accounts } from "../accounts/account-types.ts";
import { bearerOf } from "../http/middleware.ts";
import type { Authenticate } from "./router.ts";

/** Authenticates operators by their tokens. `rate`: how many requests each may send. Absent: any number. */
export function tokenAuthentication(accounts: Accounts, rate?: RequestRate): Authenticate {
  return async ({ headers }, isRepeated) => {
    const operator = await authenticateOperator(accounts, bearerOf(headers));
    return isRepeated ? operator : { ...operator, ...admitted(rate, operator.actor) };
  };
}
