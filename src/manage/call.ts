import type { OperatorPrincipal } from "../accounts/operators.ts";
import type { RestCall, RestHandlers } from "../api/rest/call.ts";
import type { OperationName } from "./contract/operations/index.ts";
import type { components, operations } from "./generated/types.d.ts";

/** The types of the contract, by name. */
export type Schemas = components["schemas"];

/** A validated request of an operator. */
export type Call<Name extends OperationName> = RestCall<operations[Name], OperatorPrincipal>;

/** The handlers of all operations, by `operationId`. */
export type AllHandlers = RestHandlers<operations, OperatorPrincipal>;

export type ManageHandlers = Partial<AllHandlers>;
export type ManageHandler<Name extends OperationName> = AllHandlers[Name];
