import type { OperatorPrincipal } from "../accounts/operators.ts";
import type { RestCall, RestHandlers } from "../http/rest/call.ts";
import type { OperationName } from "./contract/operations/index.ts";
import type { operations } from "./generated/types.d.ts";

export type { Schemas } from "./schema-types.ts";

/** A validated request of an operator. */
export type Call<Name extends OperationName> = RestCall<operations[Name], OperatorPrincipal>;

/** The handlers of all operations, by `operationId`. */
export type AllHandlers = RestHandlers<operations, OperatorPrincipal>;

export type ManageHandlers = Partial<AllHandlers>;
export type ManageHandler<Name extends OperationName> = AllHandlers[Name];
