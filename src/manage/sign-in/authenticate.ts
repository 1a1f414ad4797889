import { ServiceError } from "../../errors.ts";
import { manageError } from "../manage-errors.ts";
import type { Authenticate } from "../router.ts";
import { accessOf, actorOf, claimsOf, nameOf } from "./claims.ts";
import type { ConsoleRoles } from "./sign-in-types.ts";

/** Authenticates people by an ID token that API Gateway's authorizer has checked. */
export function jwtAuthentication(roles: ConsoleRoles): Authenticate {
  return async ({ headers }) => {
    const claims = claimsOf(headers["authorization"]);
    if (claims === undefined) throw new ServiceError("key_missing", "Missing token of the sign-in");
    const access = accessOf(claims, roles);
    if (access === undefined) {
      throw manageError(
        "forbidden",
        `${actorOf(claims)} has no role in this console: no value of the claim ${roles.claim} gives one. Ask an operator ` +
          "for the role operator or viewer.",
      );
    }
    return { actor: actorOf(claims), name: nameOf(claims), ...access };
  };
}
