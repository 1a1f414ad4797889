import type { OperatorPrincipal } from "../accounts/operators.ts";
import type { RestCall, RestHandlers } from "../http/rest/call.ts";
import type { OperationName, operations } from "./contract/operations/manage-operations.ts";
import type { pathParameters } from "./contract/operations/parameters.ts";
import type { Schemas } from "./schema-types.ts";

export type { Schemas } from "./schema-types.ts";

interface Api {
  operations: typeof operations;
  pathParameters: typeof pathParameters;
  schemas: Schemas;
  principal: OperatorPrincipal;
}

/** A validated request of an operator. */
export type Call<Name extends OperationName> = RestCall<Api, Name>;

/** The handlers of all operations, by `operationId`. */
export type AllHandlers = RestHandlers<Api>;

export type ManageHandlers = Partial<AllHandlers>;
export type ManageHandler<Name extends OperationName> = AllHandlers[Name];
