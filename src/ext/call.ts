import type { Principal } from "../accounts/authenticate.ts";
import type { RestCall, RestHandlers } from "../http/rest/call.ts";
import type { OperationName, operations } from "./contract/operations/ext-operations.ts";
import type { pathParameters } from "./contract/operations/parameters.ts";
import type { SchemaTypes } from "../json-schema.ts";
import type { schemas } from "./contract/schemas/ext-schemas.ts";

/** The types of the contract, by name. */
export type Schemas = SchemaTypes<typeof schemas>;

interface Api {
  operations: typeof operations;
  pathParameters: typeof pathParameters;
  schemas: Schemas;
  principal: Principal;
}

/** A validated request of a client with an agent's key. */
export type Call<Name extends OperationName> = RestCall<Api, Name>;

/** Handlers by `operationId`. An operation without one is a 404. */
export type ExtHandlers = Partial<RestHandlers<Api>>;
