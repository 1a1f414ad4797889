import type { OperatorPrincipal } from "../accounts/operators.ts";
import type { ApiHandler } from "../http/handler.ts";
import { type Authenticate as RestAuthenticate, restRouter } from "../http/rest/router.ts";
import { authorize, callAuthorization, type OwnerStores } from "./authorize.ts";
import type { AllHandlers } from "./call.ts";
import { operations } from "./contract/operations/manage-operations.ts";
import { manageErrors } from "./manage-errors.ts";
import * as bodies from "../../dist/generated/manage-bodies.js";
import * as parameters from "../../dist/generated/manage-parameters.js";

/** Which operator sends a request. Rejects with a `ServiceError` for a request without a valid credential. */
export type Authenticate = RestAuthenticate<OperatorPrincipal>;

/** The management API as one handler. */
export function manageRouter(handlers: AllHandlers, authenticate: Authenticate, stores: OwnerStores): ApiHandler {
  const api = {
    operations,
    validators: { bodies, parameters },
    errors: manageErrors,
    authorize,
    authorizeCall: callAuthorization(stores),
    nobody: { actor: "", name: "", role: "viewer" },
  } as const;
  return restRouter(api, handlers, authenticate);
}
